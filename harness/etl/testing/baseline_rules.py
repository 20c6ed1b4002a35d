"""What TraceEvent does to events before PerfView's tests print them: names, drops, derived fields.

Sources: the documentation and the visible behaviour of microsoft/perfview's TraceEvent library,
compared on real traces. Names of CLR events are those that its typed parsers give to event ids.
"""

import re
import time

RUNTIME = "e13c0d23-ccbc-4e12-931b-d9cc2eee27e4"
RUNDOWN = "a669021c-c450-4609-a035-5af59af4df18"
PRIVATE = "763fd754-7086-4dfe-95eb-c01a46faf4ca"

CLR_NAMES = {
    RUNTIME: ("Microsoft-Windows-DotNETRuntime", {
        1: "GC/Start", 2: "GC/Stop", 3: "GC/RestartEEStop", 4: "GC/HeapStats",
        5: "GC/CreateSegment", 7: "GC/RestartEEStart", 8: "GC/SuspendEEStop",
        9: "GC/SuspendEEStart", 10: "GC/AllocationTick",
        12: "GC/TerminateConcurrentThread", 13: "GC/FinalizersStop",
        14: "GC/FinalizersStart", 15: "Type/BulkType", 21: "GC/BulkSurvivingObjectRanges",
        22: "GC/BulkMovedObjectRanges", 23: "GC/GenerationRange",
        25: "GC/MarkStackRoots", 26: "GC/MarkFinalizeQueueRoots",
        27: "GC/MarkHandles", 28: "GC/MarkCards", 29: "GC/FinalizeObject",
        33: "GC/PinObjectAtGCTime", 35: "GC/Triggered",
        44: "IOThreadCreation/Start", 45: "IOThreadCreation/Stop", 47: "IOThreadRetirement/Stop",
        50: "ThreadPoolWorkerThread/Start", 51: "ThreadPoolWorkerThread/Stop",
        54: "ThreadPoolWorkerThreadAdjustment/Sample",
        55: "ThreadPoolWorkerThreadAdjustment/Adjustment",
        56: "ThreadPoolWorkerThreadAdjustment/Stats", 57: "ThreadPoolWorkerThread/Wait",
        63: "ThreadPool/IOEnqueue", 64: "ThreadPool/IODequeue", 65: "ThreadPool/IOPack",
        70: "Thread/Creating", 71: "Thread/Running",
        80: "Exception/Start", 81: "Contention/Start", 91: "Contention/Stop",
        85: "AppDomainResourceManagement/ThreadCreated",
        86: "AppDomainResourceManagement/ThreadTerminated", 143: "Method/LoadVerbose",
        144: "Method/UnloadVerbose", 145: "Method/JittingStarted", 151: "Loader/DomainModuleLoad",
        152: "Loader/ModuleLoad", 153: "Loader/ModuleUnload", 154: "Loader/AssemblyLoad",
        155: "Loader/AssemblyUnload", 156: "Loader/AppDomainLoad", 157: "Loader/AppDomainUnload",
        181: "StrongNameVerification/Start", 182: "StrongNameVerification/Stop",
        187: "Runtime/Start", 200: "GarbageCollection/IncreaseMemoryPressure",
        201: "GarbageCollection/DecreaseMemoryPressure", 202: "GC/MarkWithType",
        204: "GC/PerHeapHistory", 205: "GC/GlobalHeapHistory",
        208: "GC/LOHCompact", 209: "GC/FitBucketInfo",
        250: "ExceptionCatch/Start", 251: "ExceptionCatch/Stop", 252: "ExceptionFinally/Start",
        253: "ExceptionFinally/Stop", 256: "Exception/Stop",
        280: "TieredCompilation/Settings", 281: "TieredCompilation/Pause"}),
    RUNDOWN: ("Microsoft-Windows-DotNETRuntimeRundown", {
        10: "GC/SettingsRundown", 146: "Method/DCStopComplete", 148: "Method/DCStopInit",
        152: "Loader/DomainModuleDCStop", 154: "Loader/ModuleDCStop",
        156: "Loader/AssemblyDCStop", 158: "Loader/AppDomainDCStop", 159: "Loader/ThreadDCStop",
        187: "Runtime/Start", 280: "TieredCompilationRundown/SettingsDCStart"}),
    PRIVATE: ("Microsoft-Windows-DotNETRuntimePrivate", {
        2: "GC/Settings", 4: "GC/PerHeapHistory", 5: "GC/GlobalHeapHistory",
        7: "GC/MarkStackRoots", 8: "GC/MarkFinalizeQueueRoots", 9: "GC/MarkHandles",
        10: "GC/MarkCards",
        159: "Binding/PolicyPhaseStart", 160: "Binding/PolicyPhaseStop",
        161: "Binding/NgenPhaseStart", 162: "Binding/NgenPhaseStop",
        # TraceEvent's spelling.
        163: "Binding/LoopupAndProbingPhaseStart", 164: "Binding/LookupAndProbingPhaseStop",
        167: "Binding/PhaseStart", 168: "Binding/PhaseStop",
        169: "Binding/DownloadPhaseStart", 170: "Binding/DownloadPhaseStop",
        165: "Binding/LoaderPhaseStart", 166: "Binding/LoaderPhaseStop",
        171: "Binding/LoaderAssemblyInitPhaseStart", 172: "Binding/LoaderAssemblyInitPhaseStop",
        173: "Binding/LoaderMappingPhaseStart", 174: "Binding/LoaderMappingPhaseStop",
        175: "Binding/LoaderDeliverEventPhaseStart", 176: "Binding/LoaderDeliverEventsPhaseStop",
        188: "NgenBinder/NgenBind", 196: "Binding/FusionMessage",
        201: "ClrMulticoreJit/Common", 202: "ClrMulticoreJit/MethodCodeReturned"}),
}

KERNEL_NAMES = {
    "EventTrace/Header": "EventTrace",
    "PageFault/HardFault": "Memory/HardFault",
    "PerfInfo/SampledProfile": "PerfInfo/Sample",
}
# Kernel classes that TraceEvent decodes with Windows' own schemas.
SYSTEM_TRACE = {"Image/KernelBase", "SystemConfig/Platform"}

# TraceEvent folds CLR stacks, native maps and rundown of methods into other events or symbols.
CLR_FOLDED = {RUNTIME: {82, 190}, RUNDOWN: {82, 144, 150}}
METHOD_DYNAMIC_OR_JITTED = 1 | 8

# Events that PerfView's test does not put into its baselines.
TEST_FILTER = re.compile(r"SystemConfig/(OpticalDisk|DPI)|Image/HypercallPage|PartitionInfo")


def method_is_worth_keeping(event):
    """LoadVerbose of precompiled methods serves symbol look-up only."""
    flags = event["fields"].get("MethodFlags", "0")
    if isinstance(flags, int):
        return flags & METHOD_DYNAMIC_OR_JITTED != 0
    words = str(flags).split("|")
    return any(word in ("Dynamic", "Jitted") for word in words)


def sample_is_idle(event):
    fields = event["fields"]
    return fields["ThreadId"] == 0 and int(fields["Flags"], 16) & 3 == 0


def dropped(event):
    """Whether TraceEvent folds the event into others before it counts."""
    name = event["event"]
    if event["provider"] == "Windows Kernel":
        if name.startswith(("StackWalk/", "FileIo/")):
            return True
        if name in ("Thread/DCStart", "Thread/DCStop"):
            return True
        return name == "PerfInfo/SampledProfile" and sample_is_idle(event)
    guid = event["provider_guid"]
    if event["kind"] != "event":
        return False
    if event["id"] in CLR_FOLDED.get(guid, ()):
        return True
    return guid == RUNTIME and event["id"] == 143 and not method_is_worth_keeping(event)


def filtered(name):
    return TEST_FILTER.search(name) is not None


def traceevent_name(event):
    name = event["event"]
    if event["kind"] == "event" and event["provider_guid"] in CLR_NAMES:
        provider, names = CLR_NAMES[event["provider_guid"]]
        return f"{provider}/{names.get(event['id'], name)}"
    if event["provider"] == "Windows Kernel":
        name = KERNEL_NAMES.get(name, name)
        if name in SYSTEM_TRACE:
            return f"MSNT_SystemTrace/{name}"
        name = name.replace("DiskIo/", "DiskIO/")
    if event["provider_guid"] == "9b79ee91-b5fd-41c0-a243-4248e266e9d0":
        name = name if "/" in name else f"SysConfig/{name}"
        return "Windows Kernel/" + name.replace("SysConfig/DeviceFamily", "SysConfig/Opcode(37)")
    return f"{event['provider']}/{name}"


# TraceEvent's field names that differ from the payload's, by event name; '' is for all events.
FIELD_NAMES = {
    "": {"ProcessID": "ProcessId", "ParentID": "ParentId", "SessionID": "SessionId",
         "TargetID": "TargetId", "ThreadID": "ThreadId"},
    "Windows Kernel/Process": {"PageDirectoryBase": "DirectoryTableBase",
                               "ApplicationID": "ApplicationId"},
    "Windows Kernel/Memory/HardFault": {"FileKey": "FileObject"},
    "Windows Kernel/DiskIO": {"FileKey": "FileObject"},
    "Windows Kernel/PerfInfo": {"SampleSource": "Source"},
    "Windows Kernel/Process/PerfCtr": {"MemoryCount": "PageFaultCount"},
    "Windows Kernel/Process/PerfCtrRundown": {"MemoryCount": "PageFaultCount"},
}

# Fields that TraceEvent computes from other events or from data that the baseline does not show. No
# payload contains them, and this check cannot compute them. derived() has those that it can.
DERIVED = {
    "DiskServiceTimeMSec": "computed over all requests of the disk",
    "Depth": "taken from the collection's start",
    "TypeName": "name of the type id, from another event",
}
DERIVED_BY_EVENT = {
    ("Windows Kernel/Memory/HardFault", "ElapsedTimeMSec"): "needs the session clock's zero",
    ("Windows Kernel/UdpIp", "context"): "TraceEvent reads UDP by an older layout",
    ("Windows Kernel/UdpIp", "dsize"): "TraceEvent reads UDP by an older layout",
    ("Windows Kernel/SystemConfig/Services", "ProcessName"): "name of the process id instead",
    ("KernelTraceControl/ImageID", "ProcessID"): "TraceEvent reads the upper half of ImageSize",
}

# Fields that later versions of an event have: TraceEvent shows their default for older ones.
NEWER = {
    "Windows Kernel/Thread/Start": {"ThreadName"},
    "Windows Kernel/Thread/Stop": {"ThreadName"},
    "Microsoft-Windows-DotNETRuntime/Method/LoadVerbose": {"ReJITID", "OptimizationTier"},
    "Microsoft-Windows-DotNETRuntime/Method/UnloadVerbose": {"ReJITID", "OptimizationTier"},
    "Microsoft-Windows-DotNETRuntime/GC/AllocationTick": {"ObjectSize"},
    "Microsoft-Windows-DotNETRuntime/GC/Start": {"ClientSequenceNumber"},
    "Microsoft-Windows-DotNETRuntime/GC/HeapStats": {"GenerationSize4", "TotalPromotedSize4"},
    "Microsoft-Windows-DotNETRuntime/GC/PerHeapHistory":
        {"ConcurrentCompactMechanisms", "MemoryPressure"},
    "Microsoft-Windows-DotNETRuntimePrivate/GC/GlobalHeapHistory":
        {"PauseMode", "MemoryPressure", "CondemnReasons0", "CondemnReasons1", "Count"},
    "Microsoft-Windows-DotNETRuntime/Contention/Start":
        {"LockID", "AssociatedObjectID", "LockOwnerThreadID"},
    "Microsoft-Windows-DotNETRuntime/Contention/Stop": {"DurationNs"},
}
DEFAULTS = ("", "0", "0.000", "0x00000000", "Unknown")

# Bits 17 to 19 of IrpFlags.
IO_PRIORITIES = ("NotSet", "VeryLow", "Low", "Normal", "High", "Critical")

# The names that TraceEvent's parsers give to numbers: of enumerations by value, of masks by bit.
# Facts from its enumerations of the same purpose (GCReason, MethodFlags and so on).
GC_REASONS = dict(enumerate((
    "AllocSmall", "Induced", "LowMemory", "Empty", "AllocLarge", "OutOfSpaceSOH", "OutOfSpaceLOH",
    "InducedNotForced", "Internal", "InducedLowMemory", "InducedCompacting", "LowMemoryHost",
    "PMFullGC", "LowMemoryHostBlocking")))
ENUMERATIONS = {
    ("GC/Start", "Reason"): GC_REASONS,
    ("GC/Triggered", "Reason"): GC_REASONS,
    ("GC/GlobalHeapHistory", "Reason"): GC_REASONS,
    ("GC/Start", "Type"): {0: "NonConcurrentGC", 1: "BackgroundGC", 2: "ForegroundGC"},
    ("GC/SuspendEEStart", "Reason"): dict(enumerate((
        "SuspendOther", "SuspendForGC", "SuspendForAppDomainShutdown", "SuspendForCodePitching",
        "SuspendForShutdown", "SuspendForDebugger", "SuspendForGCPrep",
        "SuspendForDebuggerSweep"))),
    ("GC/AllocationTick", "AllocationKind"): {0: "Small", 1: "Large", 2: "Pinned"},
    ("GC/CreateSegment", "Type"): {0: "SmallObjectHeap", 1: "LargeObjectHeap",
                                   2: "ReadOnlyHeap", 3: "PinnedObjectHeap"},
    ("GC/FitBucketInfo", "BucketKind"): {0: "LargestFreeListItems", 1: "PlugsInCondemned"},
    ("GC/GlobalHeapHistory", "PauseMode"): {0: "Batch", 1: "Interactive", 2: "LowLatency",
                                            3: "SustainedLowLatency", 4: "NoGC"},
    ("Contention/Start", "ContentionFlags"): {0: "Managed", 1: "Native"},
    ("Contention/Stop", "ContentionFlags"): {0: "Managed", 1: "Native"},
    ("NgenBinder/NgenBind", "ReasonCode"): {0: "START_BIND", 3: "NO_NATIVE_IMAGE",
                                            9: "REJECT_IL_SIG"},
}
MODULE_FLAGS = {1: "DomainNeutral", 2: "Native", 4: "Dynamic", 8: "Manifest", 16: "IbcOptimized",
                32: "ReadyToRunModule", 64: "PartialReadyToRunModule"}
MASKS = {
    "GlobalMechanisms": {1: "Concurrent", 2: "Compaction", 4: "Promotion", 8: "Demotion",
                         16: "CardBundles"},
    "ExceptionFlags": {1: "HasInnerException", 2: "Nested", 4: "ReThrown", 8: "CorruptedState",
                       16: "CLSCompliant"},
    "AppDomainFlags": {1: "Default", 2: "Executable", 4: "Shared"},
    "AssemblyFlags": {1: "DomainNeutral", 2: "Dynamic", 4: "Native", 8: "Collectible",
                      16: "ReadyToRun"},
    "ModuleFlags": MODULE_FLAGS,
    "MethodFlags": {1: "Dynamic", 2: "Generic", 4: "HasSharedGenericCode", 8: "Jitted",
                    16: "JitHelper", 32: "ProfilerRejectedPrecompiledCode",
                    64: "ReadyToRunRejectedPrecompiledCode"},
    "StartupFlags": {1: "CONCURRENT_GC", 2: "LOADER_OPTIMIZATION_SINGLE_DOMAIN",
                     4: "LOADER_OPTIMIZATION_MULTI_DOMAIN"},
    "StartupMode": {1: "ManagedExe", 2: "HostedClr", 4: "IjwDll", 8: "ComActivated", 16: "Other"},
    "Sku": {1: "DesktopClr", 2: "CoreClr", 4: "Mono"},
    "Flags": {1: "PackageFullName", 2: "Wow64", 4: "Protected"},  # of a process
}
# Names in manifests, which tailgate shows where TraceEvent shows the number.
MANIFEST_MASKS = {
    "AppDomainFlags": MASKS["AppDomainFlags"],
    "Flags": {1: "GCSpecial", 2: "Finalizer", 4: "ThreadPoolWorker"},  # of a thread of the CLR
}
# What PerfView's manifest calls the keywords "Default": TraceEvent shows them one by one.
DEFAULT_KEYWORDS = {"Process", "Thread", "ImageLoad", "ProcessCounters", "DiskIO", "DiskFileIO",
                    "DiskIOInit", "MemoryHardFaults", "NetworkTCPIP", "Profile"}
# The bits 0 to 12 of IrpFlags; bit 1 and bit 6 have two names, of which .NET prints the first.
IRP_FLAGS = ("Nocache", "MountCompletion", "SynchronousApi", "AssociatedIrp", "BufferedIO",
             "DeallocateBuffer", "InputOperation", "Create", "Read", "Write", "Close",
             "DeferIOCompletion", "ObQueryName", "HoldDeviceQueue")
# Of a mask of these, TraceEvent shows the lowest bit; "not_specified" when none is set.
GC_EXPAND = ("expand_reuse_normal", "expand_reuse_bestfit", "expand_new_seg_ep", "expand_new_seg",
             "expand_no_memory", "expand_next_full_gc")
GC_COMPACT = ("compact_low_ephemeral", "compact_high_frag", "compact_no_gaps",
              "compact_loh_forced", "compact_last_gc", "compact_induced_compacting",
              "compact_fragmented_gen0", "compact_high_mem_load", "compact_high_mem_frag",
              "compact_vhigh_mem_frag", "compact_no_gc_mode")

# TraceEvent has its own parser for this provider, for another version than these events have.
OTHER_VERSION = "Microsoft-Windows-Kernel-File/Create"
# No file and no available manifest describes these.
UNDESCRIBED = "Microsoft-Windows-DotNETRuntimePrivate/GC/PerHeapHistory"


def lookup(table, event_name, name):
    """The entry for the event's full name, then for its class, then for all."""
    for key in (event_name, event_name.rpartition("/")[0], ""):
        if name in table.get(key, {}):
            return table[key][name]
    return None


def find_value(event_name, event, name):
    """(whether the event has the field, its value)."""
    fields = {key.lower(): value for key, value in event["fields"].items()}
    for wanted in (lookup(FIELD_NAMES, event_name, name), name):
        if wanted and wanted.lower() in fields:
            return True, fields[wanted.lower()]
    mask = re.fullmatch(r"GroupMask(\d)", name)
    if mask and "groupmask" in fields:
        return True, fields["groupmask"][int(mask[1]) - 1]
    member = re.fullmatch(r"Type(ID|Name)_(\d+)", name)
    if member and "values" in fields:
        value = fields["values"][int(member[2])]
        return True, value.get(f"Type{member[1]}", value.get(member[1]))
    return False, None


def as_number(text):
    if isinstance(text, bool):
        return int(text)
    if isinstance(text, (int, float)):
        return text
    plain = str(text).replace(",", "")
    if re.fullmatch(r"-?\d+", plain):
        return int(plain)
    if re.fullmatch(r"0x[0-9a-fA-F]+", plain):
        return int(plain, 16)
    if plain in ("True", "False", "true", "false"):
        return int(plain.lower() == "true")
    return None


def same_value(expected, value):
    """Whether the texts are equal, given that a baseline cuts texts and drops signs."""
    if value is None:
        return False
    a, b = as_number(expected), as_number(value)
    if a is not None and b is not None:
        return any((int(a) - int(b)) % 2 ** bits == 0 for bits in (32, 64)) or a == b
    date = re.fullmatch(r"(\d\d)/(\d\d)/(\d\d) (\d\d):(\d\d):(\d\d)\.(\d\d)\.\.\.", expected)
    if date:
        return str(value)[2:22].startswith("{}-{}-{}T{}:{}:{}.{}".format(*date.groups()))
    text = str(value).replace("|", ", ")
    if expected.endswith("...") and isinstance(value, int):
        return f"{value - 2 ** 64 if value >= 2 ** 63 else value:,}".startswith(expected[:-3])
    if expected.endswith("..."):
        return text.replace("\r", "").replace("\n", "").startswith(expected[:-3])
    words = {word.strip().lower() for word in re.split(r"[|,]", text)}
    return text == expected or words == {word.strip().lower() for word in expected.split(",")}


def translated(path):
    """The path as TraceEvent shows it, with the drive letter and share of these traces' machine."""
    path = re.sub(r"^\\Device\\HarddiskVolume\d+(?=\\)", "C:", path)
    path = re.sub(r"^\\SystemRoot(?=\\)", r"C:\\Windows", path)
    path = re.sub(r"^\\Windows(?=\\)", r"C:\\Windows", path)
    return re.sub(r"^\\Device\\Mup(?=\\)", r"\\", path)


def date_text(seconds):
    """A time stamp in seconds, as tailgate prints times."""
    return time.strftime("%Y-%m-%dT%H:%M:%S.0000000Z", time.gmtime(seconds))


def derived(event_name, event, name, clock_hz):
    """The value that TraceEvent computes for a field from the event itself, or None."""
    fields = event["fields"]
    flags = as_number(fields.get("Flags", 0))
    irp_flags = as_number(fields.get("IrpFlags", 0)) or 0
    sample = event_name == "Windows Kernel/PerfInfo/Sample"
    if name == "FileName" and "file" in event:
        return event["file"]
    if name == "BuildTime" and "TimeDateStamp" in fields:
        return date_text(fields["TimeDateStamp"])
    if sample and name in ("ExecutingDPC", "ExecutingISR", "Priority"):
        shift, bits = {"ExecutingDPC": (0, 1), "ExecutingISR": (1, 1), "Priority": (3, 31)}[name]
        return flags >> shift & bits
    if sample and name == "ProcessorNumber":
        return event["cpu"]
    if event_name.startswith("Windows Kernel/DiskIO/"):
        if name == "Priority":
            return IO_PRIORITIES[irp_flags >> 17 & 7]
        if name == "ElapsedTimeMSec":
            # A half in the last digit is rounded up; binary fractions are often slightly below a
            # half.
            return f"{fields['HighResResponseTime'] * 1000 / clock_hz + 1e-9:.3f}"
        if name == "IrpFlags" and irp_flags & 0xFFFF == 0:
            return "None"
    if name in ("ParentThreadID", "ParentProcessID"):
        of_record = event["tid" if name == "ParentThreadID" else "pid"]
        return of_record if event_name == "Windows Kernel/Thread/Start" else -1
    if name == "PayloadLength" and event_name.endswith("/ManifestData"):
        return event["length_bytes"]
    if name == "ModuleILFileName" and "ModuleILPath" in fields:
        return re.split(r"[\\/]", fields["ModuleILPath"])[-1]
    sums = {"TotalHeapSize": "GenerationSize", "TotalPromoted": "TotalPromotedSize"}
    if name in sums:
        return sum(as_number(value) for key, value in fields.items()
                   if re.fullmatch(sums[name] + r"\d", key))
    return None


# TraceEvent gives events of these classes the payload's process and no thread.
OF_PROCESSES = ("Windows Kernel/Process/", "Windows Kernel/Image/")


def explain_id(event_name, key, expected, event):
    """Why TraceEvent's process or thread id is another; None when there is no known reason."""
    fields = {name.lower(): value for name, value in event["fields"].items()}
    payload = fields.get("processid" if key == "pid" else "tthreadid",
                         fields.get("pid" if key == "pid" else "threadid"))
    if payload is not None and payload == expected:
        return f"TraceEvent gives the {key} of the payload, tailgate that of the record"
    if expected == -1 and event_name.startswith(OF_PROCESSES):
        return "TraceEvent gives process and image events no tid, tailgate that of the record"
    if event_name == "Windows Kernel/DiskIO/FlushBuffers" and \
            expected == (fields["highresresponsetime"] if key == "tid" else -1):
        return "TraceEvent reads the tid of a flush where its response time is"
    if event[key] is None:
        return f"TraceEvent finds the {key} through rundown at the end of the trace"
    return None


def explain_field(event_name, event, name, expected, value):
    """Why a field differs. None: tailgate or these rules have a bug."""
    for key in (event_name, event_name.rpartition("/")[0]):
        if (key, name) in DERIVED_BY_EVENT:
            return f"{name}: {DERIVED_BY_EVENT[key, name]}"
    if event_name == OTHER_VERSION:
        return "TraceEvent reads this event by its own parser of another version"
    if value is None and event_name == UNDESCRIBED:
        return "nothing at hand describes the event"
    if value is None and name in DERIVED:
        return f"{name}: {DERIVED[name]}"
    if value is None and name in NEWER.get(event_name, ()) and expected in DEFAULTS:
        return "fields of newer versions that the event does not have"
    return None if value is None else explain_value(event_name, name, expected, value)


def lowest_bit(number, names):
    for bit, bit_name in enumerate(names):
        if number >> bit & 1:
            return bit_name
    return "not_specified"


def bit_names(number, names):
    """The names of a mask's bits, 'None' without a bit; None when a bit has no name."""
    if number == 0:
        return ["None"]
    set_bits = [1 << bit for bit in range(64) if number >> bit & 1]
    return [names[bit] for bit in set_bits] if set(set_bits) <= set(names) else None


def traceevent_names(event_name, name, number):
    """The names that TraceEvent shows for a field's number; None when it shows the number."""
    for (event, field), names in ENUMERATIONS.items():
        if field == name and event_name.endswith("/" + event):
            return [names[number]] if number in names else None
    if name == "ExpandMechanisms":
        return [lowest_bit(number, GC_EXPAND)]
    if name == "CompactMechanisms":
        return [lowest_bit(number, GC_COMPACT)]
    if name == "IrpFlags":
        return bit_names(number & 0xFFFF, {1 << bit: text for bit, text in enumerate(IRP_FLAGS)})
    return bit_names(number, MASKS[name]) if name in MASKS else None


def number_of_names(name, text):
    """The number that a manifest's names stand for, 'Default|0x10'; None for unknown names."""
    values = {bit_name: bit for bit, bit_name in MANIFEST_MASKS.get(name, {}).items()}
    numbers = [as_number(word) if word not in values else values[word]
               for word in text.split("|")]
    return None if None in numbers else sum(numbers)


def within(expected, names):
    """Whether a text of names, of which the last may be cut, has only names of the set."""
    *whole, last = expected.split("|")
    if last.endswith("..."):
        return set(whole) <= names and any(name.startswith(last[:-3]) for name in names)
    return set(whole) | {last} <= names


def same_names(expected, names):
    """Whether the text consists of the names. A baseline cuts long texts."""
    text = ", ".join(names)
    if expected.endswith("..."):
        return text.lower().startswith(expected[:-3].lower())
    return text.lower() == expected.lower()


def explain_value(event_name, name, expected, value):
    """Why two spellings of one value differ."""
    text = str(value)
    if len(text) == 1 and as_number(expected) == ord(text):
        return "a character, shown by its code"
    if as_number(expected) is None and as_number(value) is not None:
        names = traceevent_names(event_name, name, as_number(value))
        if names is not None and same_names(expected, names):
            return "a number, shown by the names that TraceEvent has for it"
    if as_number(expected) is not None and number_of_names(name, text) == as_number(expected):
        return "a number, shown by the names that the manifest has for it"
    if text == "Default" and name in ("keywords", "stacks") and within(expected, DEFAULT_KEYWORDS):
        return "a number, shown by the name of the whole or by those of its bits"
    if re.match(r"\\(Device|SystemRoot|Windows)\\", text) and \
            same_value(expected.lower(), translated(text).lower()):
        return "a path, translated by the volumes' drive letters"
    date = re.fullmatch(r"(\d\d)/(\d\d)/(\d\d) (\d\d):(\d\d):(\d\d)\.\d\d\.\.\.", expected)
    if date and text[2:19] == "{}-{}-{}T{}:{}:{}".format(*date.groups()):
        return "SYSTEMTIME: TraceEvent shows another field as the milliseconds"
    return None
