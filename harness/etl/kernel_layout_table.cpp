#include "harness/etl/kernel_layout_table.h"

namespace tailgate::etl {
namespace {

// Fields that several rows have in common.
#define TAILGATE_TCP4 "u32 PID, u32 size, ip4 daddr, ip4 saddr, port dport, port sport"
#define TAILGATE_TCP6 "u32 PID, u32 size, ip6 daddr, ip6 saddr, port dport, port sport"
#define TAILGATE_TCP_SEND ", u32 startime, u32 endtime, u32 seqnum, P connid"
#define TAILGATE_TCP_RECV ", u32 seqnum, P connid"
#define TAILGATE_TCP_OPEN                                                           \
  ", u16 mss, u16 sackopt, u16 tsopt, u16 wsopt, u32 rcvwin, i16 rcvwinscale, i16 " \
  "sndwinscale" TAILGATE_TCP_RECV
#define TAILGATE_PROCESS_HEAD \
  "P UniqueProcessKey, u32 ProcessId, u32 ParentId, u32 SessionId, i32 ExitStatus"
#define TAILGATE_THREAD_V2                                                     \
  "u32 ProcessId, u32 TThreadId, P StackBase, P StackLimit, P UserStackBase, " \
  "P UserStackLimit, P StartAddr, P Win32StartAddr, P TebBase, u32 SubProcessTag"
#define TAILGATE_IMAGE_TAIL \
  "P DefaultBase, u32 Reserved1, u32 Reserved2, u32 Reserved3, u32 Reserved4, w FileName"
#define TAILGATE_DISK_RW                                                           \
  "u32 DiskNumber, x32 IrpFlags, u32 TransferSize, u32 Reserved, u64 ByteOffset, " \
  "P FileObject, P Irp, u64 HighResResponseTime"

constexpr KernelLayoutRow kKernelRows[] = {
    {0x0000, 0, 2, "Header",
     "u32 BufferSize, x32 Version, u32 ProviderVersion, u32 NumberOfProcessors, ft EndTime, "
     "u32 TimerResolution, u32 MaxFileSize, x32 LogFileMode, u32 BuffersWritten, "
     "u32 StartBuffers, u32 PointerSize, u32 EventsLost, u32 CPUSpeed, P LoggerName, "
     "P LogFileNamePointer, i32 UtcOffsetMinutes, raw172 TimeZone, ft BootTime, u64 PerfFreq, "
     "ft StartTime, u32 ReservedFlags, u32 BuffersLost, w SessionName, w LogFileName"},
    {0x0005, 0, 2, "Extension", "x32*8 GroupMask, u32 KernelEventVersion"},
    {0x0008, 0, 2, "RundownComplete", ""},
    {0x0020, 0, 2, "EndExtension", "x32*8 GroupMask, u32 KernelEventVersion"},
    {0x0050, 0, 2, "PartitionInfoExtension",
     "u16 EventVersion, u16 Reserved, u32 PartitionType, i64 QpcOffsetFromRoot, w PartitionId, "
     "w ParentId"},
    {0x0052, 0, 2, "LastDroppedTimes", "u32 Count, u32 Reserved, u64* LastDroppedTime"},

    {0x010A, 0x0B, 2, "Read|Write", TAILGATE_DISK_RW},
    {0x010A, 0x0B, 3, "Read|Write", TAILGATE_DISK_RW ", u32 IssuingThreadId"},
    {0x010C, 0x0D, 2, "ReadInit|WriteInit", "P Irp"},
    {0x010C, 0x0D, 3, "ReadInit|WriteInit", "P Irp, u32 IssuingThreadId"},
    {0x010E, 0, 2, "FlushBuffers", "u32 DiskNumber, x32 IrpFlags, u64 HighResResponseTime, P Irp"},
    {0x010E, 0, 3, "FlushBuffers",
     "u32 DiskNumber, x32 IrpFlags, u64 HighResResponseTime, P Irp, u32 IssuingThreadId"},
    {0x010F, 0, 2, "FlushInit", "P Irp"},
    {0x010F, 0, 3, "FlushInit", "P Irp, u32 IssuingThreadId"},
    {0x0110, 0, 2, "RedirectedInit", "P Irp, P FileKey"},

    {0x020A, 0x0F, 2,
     "TransitionFault|DemandZeroFault|CopyOnWrite|GuardPageFault|"
     "HardPageFault|AccessViolation",
     "P VirtualAddress, P ProgramCounter"},
    {0x0220, 0, 2, "HardFault",
     "u64 InitialTime, u64 ReadOffset, P VirtualAddress, P FileObject, u32 TThreadId, "
     "u32 ByteCount"},
    {0x0262, 0x63, 2, "VirtualAlloc|VirtualFree",
     "P BaseAddr, Z RegionSize, u32 ProcessId, x32 Flags"},

    {0x0301, 4, 1, "Start|Stop|DCStart|DCStop",
     "P PageDirectoryBase, u32 ProcessId, u32 ParentId, u32 SessionId, i32 ExitStatus, "
     "sid UserSID, s ImageFileName"},
    {0x0301, 4, 2, "Start|Stop|DCStart|DCStop",
     TAILGATE_PROCESS_HEAD ", sid UserSID, s ImageFileName, w CommandLine"},
    {0x0301, 4, 3, "Start|Stop|DCStart|DCStop",
     TAILGATE_PROCESS_HEAD ", P DirectoryTableBase, sid UserSID, s ImageFileName, w CommandLine"},
    {0x0301, 4, 4, "Start|Stop|DCStart|DCStop",
     TAILGATE_PROCESS_HEAD ", P DirectoryTableBase, x32 Flags, sid UserSID, s ImageFileName, "
                           "w CommandLine, w PackageFullName, w ApplicationId"},
    {0x0327, 0, 2, "Defunct",
     TAILGATE_PROCESS_HEAD ", sid UserSID, s ImageFileName, w CommandLine"},
    {0x0327, 0, 3, "Defunct",
     TAILGATE_PROCESS_HEAD ", P DirectoryTableBase, sid UserSID, s ImageFileName, w CommandLine"},
    {0x0327, 0, 4, "Defunct",
     TAILGATE_PROCESS_HEAD ", P DirectoryTableBase, x32 Flags, sid UserSID, s ImageFileName, "
                           "w CommandLine, w PackageFullName, w ApplicationId"},
    {0x0327, 0, 5, "Defunct",
     TAILGATE_PROCESS_HEAD ", P DirectoryTableBase, x32 Flags, sid UserSID, s ImageFileName, "
                           "w CommandLine, w PackageFullName, w ApplicationId, ft ExitTime"},
    {0x030B, 0, 2, "Terminate", "u32 ProcessId"},
    {0x0320, 0x21, 2, "PerfCtr|PerfCtrRundown",
     "u32 ProcessId, u32 PageFaultCount, u32 HandleCount, u32 Reserved, Z PeakVirtualSize, "
     "Z PeakWorkingSetSize, Z PeakPagefileUsage, Z QuotaPeakPagedPoolUsage, "
     "Z QuotaPeakNonPagedPoolUsage, Z VirtualSize, Z WorkingSetSize, Z PagefileUsage, "
     "Z QuotaPagedPoolUsage, Z QuotaNonPagedPoolUsage, Z PrivatePageCount"},

    {0x0400, 0, 2, "Name", "P FileObject, w FileName"},
    {0x0420, 0, 2, "FileCreate", "P FileObject, w FileName"},
    {0x0423, 0x24, 2, "FileDelete|FileRundown", "P FileObject, w FileName"},
    {0x0440, 0, 2, "Create",
     "P IrpPtr, P TTID, P FileObject, x32 CreateOptions, x32 FileAttributes, x32 ShareAccess, "
     "w OpenPath"},
    {0x0440, 0, 3, "Create",
     "P IrpPtr, P FileObject, u32 IssuingThreadId, x32 CreateOptions, x32 FileAttributes, "
     "x32 ShareAccess, w OpenPath"},
    {0x0441, 0x42, 2, "Cleanup|Close", "P IrpPtr, P TTID, P FileObject, P FileKey"},
    {0x0441, 0x42, 3, "Cleanup|Close", "P IrpPtr, P FileObject, P FileKey, u32 IssuingThreadId"},
    {0x0443, 0x44, 2, "Read|Write",
     "u64 Offset, P IrpPtr, P TTID, P FileObject, P FileKey, u32 IoSize, x32 IoFlags"},
    {0x0443, 0x44, 3, "Read|Write",
     "u64 Offset, P IrpPtr, P FileObject, P FileKey, u32 IssuingThreadId, u32 IoSize, "
     "x32 IoFlags"},
    {0x0445, 0x47, 2, "SetInfo|Delete|Rename",
     "P IrpPtr, P TTID, P FileObject, P FileKey, P ExtraInfo, u32 InfoClass"},
    {0x0445, 0x47, 3, "SetInfo|Delete|Rename",
     "P IrpPtr, P FileObject, P FileKey, P ExtraInfo, u32 IssuingThreadId, u32 InfoClass"},
    {0x0448, 0, 2, "DirEnum",
     "P IrpPtr, P TTID, P FileObject, P FileKey, u32 Length, u32 InfoClass, u32 FileIndex, "
     "w FileName"},
    {0x0448, 0, 3, "DirEnum",
     "P IrpPtr, P FileObject, P FileKey, u32 IssuingThreadId, u32 Length, u32 InfoClass, "
     "u32 FileIndex, w FileName"},
    {0x0449, 0, 2, "Flush", "P IrpPtr, P TTID, P FileObject, P FileKey"},
    {0x0449, 0, 3, "Flush", "P IrpPtr, P FileObject, P FileKey, u32 IssuingThreadId"},
    {0x044A, 0x4B, 2, "QueryInfo|FSControl",
     "P IrpPtr, P TTID, P FileObject, P FileKey, P ExtraInfo, u32 InfoClass"},
    {0x044A, 0x4B, 3, "QueryInfo|FSControl",
     "P IrpPtr, P FileObject, P FileKey, P ExtraInfo, u32 IssuingThreadId, u32 InfoClass"},
    {0x044C, 0, 2, "OperationEnd", "P IrpPtr, P ExtraInfo, x32 NtStatus"},
    {0x044D, 0, 2, "DirNotify",
     "P IrpPtr, P TTID, P FileObject, P FileKey, u32 Length, u32 InfoClass, u32 FileIndex, "
     "w FileName"},
    {0x044D, 0, 3, "DirNotify",
     "P IrpPtr, P FileObject, P FileKey, u32 IssuingThreadId, u32 Length, u32 InfoClass, "
     "u32 FileIndex, w FileName"},

    {0x0501, 4, 1, "Start|Stop|DCStart|DCStop",
     "u32 ProcessId, u32 TThreadId, P StackBase, P StackLimit, P UserStackBase, "
     "P UserStackLimit, P StartAddr, P Win32StartAddr, i8 WaitMode"},
    {0x0501, 4, 2, "Start|Stop|DCStart|DCStop", TAILGATE_THREAD_V2},
    {0x0501, 4, 3, "Start|Stop|DCStart|DCStop",
     TAILGATE_THREAD_V2 ", i8 BasePriority, u8 PagePriority, u8 IoPriority, u8 ThreadFlags, "
                        "w ThreadName"},
    {0x0524, 0, 2, "CSwitch",
     "u32 NewThreadId, u32 OldThreadId, i8 NewThreadPriority, i8 OldThreadPriority, "
     "u8 PreviousCState, i8 SpareByte, i8 OldThreadWaitReason, i8 OldThreadWaitMode, "
     "i8 OldThreadState, i8 OldThreadWaitIdealProcessor, u32 NewThreadWaitTime, u32 Reserved"},
    // Items of 2, 4 or 8 bytes follow, packed by bits; the two lowest bits give the size.
    {0x0525, 0, 2, "CompCS",
     "i64 FirstTimeStamp, u32*16 TidTable, i8*16 ThreadBasePriority, x16* Items"},
    {0x0532, 0, 2, "ReadyThread",
     "u32 TThreadId, i8 AdjustReason, i8 AdjustIncrement, u8 Flag, u8 Reserved"},
    {0x0548, 0, 2, "SetName", "u32 ProcessId, u32 TThreadId, w ThreadName"},

    {0x060A, 0, 2, "Send", TAILGATE_TCP4 TAILGATE_TCP_SEND},
    {0x060B, 0, 2, "Recv", TAILGATE_TCP4 TAILGATE_TCP_RECV},
    {0x060C, 0, 2, "Connect", TAILGATE_TCP4 TAILGATE_TCP_OPEN},
    {0x060D, 0x0E, 2, "Disconnect|Retransmit", TAILGATE_TCP4 TAILGATE_TCP_RECV},
    {0x060F, 0, 2, "Accept", TAILGATE_TCP4 TAILGATE_TCP_OPEN},
    {0x0610, 0, 2, "Reconnect", TAILGATE_TCP4 TAILGATE_TCP_RECV},
    {0x0611, 0, 2, "Fail", "u32 Proto, u32 FailureCode"},
    {0x0612, 0, 2, "TCPCopy", TAILGATE_TCP4 TAILGATE_TCP_RECV},
    {0x061A, 0, 2, "SendIPV6", TAILGATE_TCP6 TAILGATE_TCP_SEND},
    {0x061B, 0, 2, "RecvIPV6", TAILGATE_TCP6 TAILGATE_TCP_RECV},
    {0x061C, 0, 2, "ConnectIPV6", TAILGATE_TCP6 TAILGATE_TCP_OPEN},
    {0x061D, 0x1E, 2, "DisconnectIPV6|RetransmitIPV6", TAILGATE_TCP6 TAILGATE_TCP_RECV},
    {0x061F, 0, 2, "AcceptIPV6", TAILGATE_TCP6 TAILGATE_TCP_OPEN},
    {0x0620, 0, 2, "ReconnectIPV6", TAILGATE_TCP6 TAILGATE_TCP_RECV},
    {0x0622, 0, 2, "TCPCopyIPV6", TAILGATE_TCP6 TAILGATE_TCP_RECV},
    {0x080A, 0x0B, 2, "Send|Recv", TAILGATE_TCP4 TAILGATE_TCP_RECV},
    {0x0811, 0, 2, "Fail", "u32 Proto, u32 FailureCode"},
    {0x081A, 0x1B, 2, "SendIPV6|RecvIPV6", TAILGATE_TCP6 TAILGATE_TCP_RECV},

    {0x090A, 0x1B, 2,
     "Create|Open|Delete|Query|SetValue|DeleteValue|QueryValue|EnumerateKey|"
     "EnumerateValueKey|QueryMultipleValue|SetInformation|Flush|KCBCreate|KCBDelete|"
     "KCBRundownBegin|KCBRundownEnd|Virtualize|Close",
     "i64 InitialTime, x32 Status, u32 Index, P KeyHandle, w KeyName"},

    {0x0B0A, 0, 2, "CPU",
     "u32 MHz, u32 NumberOfProcessors, u32 MemSize, u32 PageSize, u32 AllocationGranularity, "
     "w256 ComputerName, w134 DomainName, P HyperThreadingFlag, P HighestUserAddress, "
     "u16 ProcessorArchitecture, u16 ProcessorLevel, u16 ProcessorRevision, u8 PaeEnabled, "
     "u8 NxEnabled, u32 MemorySpeed"},
    {0x0B0B, 0, 2, "PhyDisk",
     "u32 DiskNumber, u32 BytesPerSector, u32 SectorsPerTrack, u32 TracksPerCylinder, "
     "u64 Cylinders, u32 SCSIPort, u32 SCSIPath, u32 SCSITarget, u32 SCSILun, "
     "w256 Manufacturer, u32 PartitionCount, u8 WriteCacheEnabled, u8 Pad, w3 BootDriveLetter, "
     "w2 Spare"},
    {0x0B0C, 0, 2, "LogDisk",
     "u64 StartOffset, u64 PartitionSize, u32 DiskNumber, u32 Size, u32 DriveType, "
     "w4 DriveLetterString, u32 Pad1, u32 PartitionNumber, u32 SectorsPerCluster, "
     "u32 BytesPerSector, u32 Pad2, i64 NumberOfFreeClusters, i64 TotalNumberOfClusters, "
     "w16 FileSystem, i32 VolumeExt, i32 Pad3"},
    {0x0B0D, 0, 2, "NIC",
     "u64 PhysicalAddr, u32 PhysicalAddrLen, u32 Ipv4Index, u32 Ipv6Index, w NICDescription, "
     "w IpAddresses, w DnsServerAddresses"},
    {0x0B0F, 0, 2, "Services",
     "u32 ProcessId, u32 ServiceState, u32 SubProcessTag, w ServiceName, w DisplayName, "
     "w ProcessName, w LoadOrderGroup, w SvchostGroup"},
    {0x0B10, 0, 2, "Power", "u8 S1, u8 S2, u8 S3, u8 S4, u8 S5, u8 Pad1, u8 Pad2, u8 Pad3"},
    {0x0B11, 0, 2, "Network",
     "u32 TcbTablePartitions, u32 MaxHashTableSize, u32 MaxUserPort, u32 TcpTimedWaitDelay"},
    {0x0B15, 0, 2, "IRQ",
     "u64 IRQAffinity, u32 IRQNum, u32 DeviceDescriptionLen, w DeviceDescription"},
    {0x0B16, 0, 2, "PnP",
     "u32 IDLength, u32 DescriptionLength, u32 FriendlyNameLength, w DeviceID, "
     "w DeviceDescription, w FriendlyName"},
    {0x0B16, 0, 4, "PnP",
     "guid ClassGuid, u32 UpperFiltersCount, u32 LowerFiltersCount, w DeviceID, "
     "w DeviceDescription, w FriendlyName, w PdoName, w ServiceName"},
    {0x0B17, 0, 2, "IDEChannel",
     "u32 TargetId, u32 DeviceType, x32 DeviceTimingMode, u32 LocationInformationLen, "
     "w LocationInformation"},
    {0x0B19, 0, 2, "Platform",
     "w SystemManufacturer, w SystemProductName, w BiosDate, w BiosVersion"},

    {0x0F2E, 0, 2, "SampledProfile",
     "P InstructionPointer, u32 ThreadId, u16 Count, x8 Flags, u8 Rank"},
    {0x0F2F, 0, 2, "PmcCounterProfile",
     "P InstructionPointer, u32 ThreadId, u16 ProfileSource, u16 Reserved"},
    {0x0F30, 0, 2, "PmcCounterConfig", "u32 CounterCount, w* CounterName"},
    {0x0F32, 0, 2, "ISR-MSI",
     "u64 InitialTime, P Routine, u8 ReturnValue, u16 Vector, u8 Reserved, u32 MessageNumber"},
    {0x0F33, 0, 2, "SysClEnter", "P SysCallAddress"},
    {0x0F34, 0, 2, "SysClExit", "x32 SysCallNtStatus"},
    {0x0F42, 0, 2, "ThreadedDPC", "u64 InitialTime, P Routine"},
    {0x0F43, 0, 2, "ISR", "u64 InitialTime, P Routine, u8 ReturnValue, u16 Vector, u8 Reserved"},
    {0x0F44, 0x45, 2, "DPC|TimerDPC", "u64 InitialTime, P Routine"},
    {0x0F48, 0x4A, 2, "SetInterval|CollectionStart|CollectionEnd",
     "u32 Source, u32 NewInterval, u32 OldInterval, w SourceName"},

    {0x1402, 4, 0, "Unload|DCStart|DCStop", "P ImageBase, Z ImageSize, w FileName"},
    {0x1402, 4, 1, "Unload|DCStart|DCStop", "P ImageBase, Z ImageSize, u32 ProcessId, w FileName"},
    {0x1402, 4, 2, "Unload|DCStart|DCStop",
     "P ImageBase, Z ImageSize, u32 ProcessId, u32 ImageChecksum, u32 TimeDateStamp, "
     "u32 Reserved0, " TAILGATE_IMAGE_TAIL},
    {0x1402, 4, 3, "Unload|DCStart|DCStop",
     "P ImageBase, Z ImageSize, u32 ProcessId, u32 ImageChecksum, u32 TimeDateStamp, "
     "u8 SignatureLevel, u8 SignatureType, u16 Reserved0, " TAILGATE_IMAGE_TAIL},
    {0x030A, 0, 0, "Load", "P ImageBase, Z ImageSize, w FileName"},
    {0x030A, 0, 1, "Load", "P ImageBase, Z ImageSize, u32 ProcessId, w FileName"},
    {0x030A, 0, 2, "Load",
     "P ImageBase, Z ImageSize, u32 ProcessId, u32 ImageChecksum, u32 TimeDateStamp, "
     "u32 Reserved0, " TAILGATE_IMAGE_TAIL},
    {0x030A, 0, 3, "Load",
     "P ImageBase, Z ImageSize, u32 ProcessId, u32 ImageChecksum, u32 TimeDateStamp, "
     "u8 SignatureLevel, u8 SignatureType, u16 Reserved0, " TAILGATE_IMAGE_TAIL},
    {0x1421, 0x22, 2, "KernelBase|HypercallPage", "P ImageBase"},

    {0x1820, 0, 2, "Stack", "x64 EventTimeStamp, u32 StackProcess, u32 StackThread, P* Stack"},
    {0x1822, 0x24, 2, "KeyCreate|KeyDelete|KeyRundown", "P StackKey, P* Stack"},
    {0x1825, 0x26, 2, "KeyKernel|KeyUser",
     "x64 EventTimeStamp, u32 StackProcess, u32 StackThread, P StackKey"},

    {0x1A21, 0x23, 2, "ALPC-Send-Message|ALPC-Receive-Message|ALPC-Wait-For-Reply",
     "u32 MessageID"},
    {0x1A24, 0, 2, "ALPC-Wait-For-New-Message", "u32 IsServerPort, s PortName"},
    {0x1A25, 0, 2, "ALPC-Unwait", "x32 Status"},
};

constexpr std::string_view kImageId = "b3e675d7-2554-4f18-830b-2762732560de";
constexpr std::string_view kMetaData = "bbccf6c1-6cd1-48c4-80ff-839482e37671";
constexpr std::string_view kMergeConfig = "9b79ee91-b5fd-41c0-a243-4248e266e9d0";

constexpr ClassicLayoutRow kClassicRows[] = {
    {kImageId, "KernelTraceControl", "ImageID", 0, "",
     "P ImageBase, Z ImageSize, u32 ProcessId, u32 TimeDateStamp, w OriginalFileName"},
    {kImageId, "KernelTraceControl", "ImageID", 32, "None", "P ImageBase, u32 ProcessId"},
    {kImageId, "KernelTraceControl", "ImageID", 36, "DbgID_RSDS",
     "P ImageBase, u32 ProcessId, guid GuidSig, u32 Age, s PDBFileName"},
    {kImageId, "KernelTraceControl", "ImageID", 37, "DbgID_ILRSDS",
     "P ImageBase, u32 ProcessId, guid GuidSig, u32 Age, s PDBFileName"},
    {kImageId, "KernelTraceControl", "ImageID", 38, "DbgPPDB", ""},
    {kImageId, "KernelTraceControl", "ImageID", 64, "FileVersion",
     "u32 ImageSize, u32 TimeDateStamp, w OrigFileName, w FileDescription, w FileVersion, "
     "w BinFileVersion, w VerLanguage, w ProductName, w CompanyName, w ProductVersion, w FileId, "
     "w ProgramId"},
    {kMetaData, "KernelTraceControl", "MetaData", 32, "EventInfo", ""},
    {kMetaData, "KernelTraceControl", "MetaData", 33, "EventMapInfo", ""},
    {kMergeConfig, "Windows Kernel", "SysConfig", 32, "BuildInfo",
     "ft InstallDate, w BuildLab, w ProductName"},
    {kMergeConfig, "Windows Kernel", "SysConfig", 33, "SystemPaths",
     "w SystemDirectory, w SystemWindowsDirectory"},
    {kMergeConfig, "Windows Kernel", "SysConfig", 34, "UnknownVolume", "w Value"},
    {kMergeConfig, "Windows Kernel", "SysConfig", 35, "VolumeMapping", "w NtPath, w DosPath"},
};

}  // namespace

std::span<const KernelLayoutRow> kernel_layout_rows() {
  return kKernelRows;
}

std::span<const ClassicLayoutRow> classic_layout_rows() {
  return kClassicRows;
}

}  // namespace tailgate::etl
