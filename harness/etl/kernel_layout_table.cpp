#include "harness/etl/kernel_layout_table.h"

// Sources, as the comments below abbreviate them; a comment names the class or structure.
//
//   MOF: wmicore.mof, the WMI classes by which Windows itself decodes the kernel's events, as the
//   Windows Driver Kit ships it; "+" stands for the classes of older versions, too
//
//   NTWMI: ntwmi.h of the System Informer project's phnt headers
//
//   TraceEvent: the parsers of microsoft/perfview; its names of events and fields are used here
//
//   real: seen in real traces only
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
#define TAILGATE_THREAD_V3 \
  TAILGATE_THREAD_V2 ", i8 BasePriority, u8 PagePriority, u8 IoPriority, u8 ThreadFlags"
#define TAILGATE_IMAGE_TAIL \
  "P DefaultBase, u32 Reserved1, u32 Reserved2, u32 Reserved3, u32 Reserved4, w FileName"
#define TAILGATE_CPU_V2                                                                     \
  "u32 MHz, u32 NumberOfProcessors, u32 MemSize, u32 PageSize, u32 AllocationGranularity, " \
  "w256 ComputerName, w134 DomainName, P HyperThreadingFlag"
#define TAILGATE_SERVICES_V2                                            \
  "u32 ProcessId, u32 ServiceState, u32 SubProcessTag, w ServiceName, " \
  "w DisplayName, w ProcessName"
#define TAILGATE_PNP_V2                                                       \
  "u32 IDLength, u32 DescriptionLength, u32 FriendlyNameLength, w DeviceID, " \
  "w DeviceDescription, w FriendlyName"
#define TAILGATE_PNP_TAIL                                                         \
  ", w DeviceID, w DeviceDescription, w FriendlyName, w PdoName, w ServiceName, " \
  "w*UpperFiltersCount UpperFilters, w*LowerFiltersCount LowerFilters"
#define TAILGATE_HEAP_SPACES "Z FreeSpace, Z CommittedSpace, Z ReservedSpace, u32 NoOfUCRs"
#define TAILGATE_HEAP_EXPAND "P HeapHandle, Z CommittedSize, P CommitAddress, " TAILGATE_HEAP_SPACES
#define TAILGATE_HEAP_CONTRACT \
  "P HeapHandle, Z DeCommittedSize, P DeCommitAddress, " TAILGATE_HEAP_SPACES
#define TAILGATE_HEAP_SNAPSHOT                                                                   \
  "P HeapHandle, Z FreeSpace, Z CommittedSpace, Z ReservedSpace, x32 HeapFlags, u32 ProcessId, " \
  "Z LargeUCRSpace, u32 FreeListLength, u32 UCRLength"
#define TAILGATE_DISK_RW                                                           \
  "u32 DiskNumber, x32 IrpFlags, u32 TransferSize, u32 Reserved, u64 ByteOffset, " \
  "P FileObject, P Irp, u64 HighResResponseTime"

constexpr KernelLayoutRow kKernelRows[] = {
    // MOF: EventTrace_Header; evntrace.h: TRACE_LOGFILE_HEADER, TIME_ZONE_INFORMATION.
    {0x0000, 0, 2, "Header",
     "u32 BufferSize, x32 Version, u32 ProviderVersion, u32 NumberOfProcessors, ft EndTime, "
     "u32 TimerResolution, u32 MaxFileSize, x32 LogFileMode, u32 BuffersWritten, "
     "u32 StartBuffers, u32 PointerSize, u32 EventsLost, u32 CPUSpeed, P LoggerName, "
     "P LogFileNamePointer, i32 UtcOffsetMinutes, w32 StandardName, clock StandardDate, "
     "i32 StandardBias, w32 DaylightName, clock DaylightDate, i32 DaylightBias, pad4, ft BootTime, "
     "u64 PerfFreq, ft StartTime, u32 ReservedFlags, u32 BuffersLost, w SessionName, w "
     "LogFileName"},
    // MOF: Header_Extension_TypeGroup, RDComplete.
    {0x0005, 0, 2, "Extension", "x32*8 GroupMask, u32 KernelEventVersion"},
    {0x0008, 0, 2, "RundownComplete", ""},
    {0x0020, 0, 2, "EndExtension", "x32*8 GroupMask, u32 KernelEventVersion"},
    // MOF: Header_DbgIdRSDS_TypeGroup, Header_BuildInfo_TypeGroup and so on.
    {0x0040, 0, 2, "DbgIdRSDS", "guid Guid, u32 Age, s PdbName"},
    {0x0042, 0, 2, "BuildInfo", "s BuildString"},
    {0x0043, 0, 2, "ProviderBinaryPath", "u32 GuidCount, guid*GuidCount Guid, w BinaryPath"},
    // MOF: Header_PartitionInfoExtension_TypeGroup. The class for version 2 has texts instead of
    // GUIDs, but real records of version 2 have the 48 bytes of this one.
    {0x0050, 0, 2, "PartitionInfoExtension",
     "u16 EventVersion, u16 Reserved, u32 PartitionType, i64 QpcOffsetFromRoot, guid PartitionId, "
     "guid ParentId"},
    // MOF: Header_LastDroppedTimes_TypeGroup.
    {0x0052, 0, 2, "LastDroppedTimes", "u32 Count, u32 Reserved, u64*Count LastDroppedTime"},

    // MOF: DiskIo_TypeGroup1 to 3 +; the redirected I/O: NTWMI, WMI_DISKIO_IO_REDIRECTED_INIT.
    {0x010A, 0x0B, 2, "Read|Write", TAILGATE_DISK_RW},
    {0x010A, 0x0B, 3, "Read|Write", TAILGATE_DISK_RW ", u32 IssuingThreadId"},
    {0x010C, 0x0D, 2, "ReadInit|WriteInit", "P Irp"},
    {0x010C, 0x0D, 3, "ReadInit|WriteInit", "P Irp, u32 IssuingThreadId"},
    {0x010E, 0, 2, "FlushBuffers", "u32 DiskNumber, x32 IrpFlags, u64 HighResResponseTime, P Irp"},
    {0x010E, 0, 3, "FlushBuffers",
     "u32 DiskNumber, x32 IrpFlags, u64 HighResResponseTime, P Irp, u32 IssuingThreadId"},
    {0x010F, 0, 2, "FlushInit", "P Irp"},
    {0x010F, 0, 3, "FlushInit", "P Irp, u32 IssuingThreadId"},
    {0x0110, 0, 2, "RedirectedInit", "P Irp, P FileKey", 3},
    {0x0137, 0x38, 3, "OpticalRead|OpticalWrite", TAILGATE_DISK_RW ", u32 IssuingThreadId"},
    {0x0139, 0, 3, "OpticalFlushBuffers",
     "u32 DiskNumber, x32 IrpFlags, u64 HighResResponseTime, P Irp, u32 IssuingThreadId"},
    {0x013A, 0x3C, 3, "OpticalReadInit|OpticalWriteInit|OpticalFlushInit",
     "P Irp, u32 IssuingThreadId"},
    // MOF: DriverMajorFunctionCall, DriverMajorFunctionReturn, DriverCompletionRoutine,
    // DriverCompleteRequest, DriverCompleteRequestReturn; NTWMI: PERFINFO_DRIVER_MAJORFUNCTION and
    // others, which are packed.
    {0x0122, 0, 2, "DriverMajorFunctionCall",
     "u32 MajorFunction, u32 MinorFunction, P RoutineAddr, P FileObject, P Irp, u32 UniqMatchId",
     3},
    {0x0123, 0, 2, "DriverMajorFunctionReturn", "P Irp, u32 UniqMatchId", 3},
    {0x0125, 0, 2, "DriverCompletionRoutine", "P Routine, P IrpPtr, u32 UniqMatchId", 3},
    {0x0134, 0, 2, "DriverCompleteRequest", "P RoutineAddr, P Irp, u32 UniqMatchId", 3},
    {0x0135, 0, 2, "DriverCompleteRequestReturn", "P Irp, u32 UniqMatchId", 3},

    // MOF: PageFault_TypeGroup1, PageFault_HardFault, PageFault_VirtualAlloc and
    // PageFault_VirtualAllocRundown.
    {0x020A, 0x0F, 2,
     "TransitionFault|DemandZeroFault|CopyOnWrite|GuardPageFault|"
     "HardPageFault|AccessViolation",
     "P VirtualAddress, P ProgramCounter"},
    {0x0220, 0, 2, "HardFault",
     "u64 InitialTime, u64 ReadOffset, P VirtualAddress, P FileObject, u32 TThreadId, "
     "u32 ByteCount"},
    {0x0262, 0x63, 2, "VirtualAlloc|VirtualFree",
     "P BaseAddr, Z RegionSize, u32 ProcessId, x32 Flags"},
    {0x0280, 0x81, 2, "VirtualAllocDCStart|VirtualAllocDCStop",
     "P BaseAddr, Z RegionSize, u32 ProcessId, x32 Flags, Z CommitSizeInBytes"},

    // MOF: Process_V4_TypeGroup1 +, Process_Defunct_TypeGroup1, Process_Terminate_TypeGroup1,
    // Process_V2_TypeGroup2.
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

    // MOF: FileIo_Name, FileIo_Create and so on +.
    {0x0400, 0, 2, "Name", "P FileObject, w FileName", 3},
    {0x0420, 0, 2, "FileCreate", "P FileObject, w FileName", 3},
    {0x0423, 0x24, 2, "FileDelete|FileRundown", "P FileObject, w FileName", 3},
    {0x0425, 0x28, 2, "MapFile|UnmapFile|MapFileDCStart|MapFileDCStop",
     "P ViewBase, P FileObject, x64 MiscInfo, Z ViewSize, u32 ProcessId", 3},
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
    {0x044C, 0, 2, "OperationEnd", "P IrpPtr, P ExtraInfo, x32 NtStatus", 3},
    {0x044D, 0, 2, "DirNotify",
     "P IrpPtr, P TTID, P FileObject, P FileKey, u32 Length, u32 InfoClass, u32 FileIndex, "
     "w FileName"},
    {0x044D, 0, 3, "DirNotify",
     "P IrpPtr, P FileObject, P FileKey, u32 IssuingThreadId, u32 Length, u32 InfoClass, "
     "u32 FileIndex, w FileName"},
    {0x044F, 0x51, 3, "DeletePath|RenamePath|SetLinkPath",
     "P IrpPtr, P FileObject, P FileKey, P ExtraInfo, u32 IssuingThreadId, u32 InfoClass, "
     "w FileName"},

    // MOF: Thread_TypeGroup1 +. Windows 10 adds the thread's name to version 3, too (real).
    {0x0501, 0, 1, "Start",
     "u32 ProcessId, u32 TThreadId, P StackBase, P StackLimit, P UserStackBase, "
     "P UserStackLimit, P StartAddr, P Win32StartAddr, i8 WaitMode, pad3"},
    {0x0502, 0, 1, "Stop", "u32 ProcessId, u32 TThreadId"},
    {0x0503, 4, 1, "DCStart|DCStop",
     "u32 ProcessId, u32 TThreadId, P StackBase, P StackLimit, P UserStackBase, "
     "P UserStackLimit, P StartAddr, P Win32StartAddr, i8 WaitMode, pad3"},
    {0x0501, 4, 2, "Start|Stop|DCStart|DCStop", TAILGATE_THREAD_V2},
    {0x0501, 4, 3, "Start|Stop|DCStart|DCStop", TAILGATE_THREAD_V3 ", ?w ThreadName"},
    {0x0501, 4, 4, "Start|Stop|DCStart|DCStop", TAILGATE_THREAD_V3 ", w ThreadName"},
    // MOF: CSwitch_V2 to CSwitch_V4; NTWMI: WMI_CONTEXTSWAP.
    {0x0524, 0, 2, "CSwitch",
     "u32 NewThreadId, u32 OldThreadId, i8 NewThreadPriority, i8 OldThreadPriority, "
     "u8 PreviousCState, i8 SpareByte, i8 OldThreadWaitReason, i8 OldThreadWaitMode, "
     "i8 OldThreadState, i8 OldThreadWaitIdealProcessor, u32 NewThreadWaitTime, u32 Reserved"},
    {0x0524, 0, 3, "CSwitch",
     "u32 NewThreadId, u32 OldThreadId, i8 NewThreadPriority, i8 OldThreadPriority, "
     "u8 PreviousCState, i8 SpareByte, i8 OldThreadWaitReason, x8 ThreadFlags, "
     "i8 OldThreadState, i8 OldThreadWaitIdealProcessor, u32 NewThreadWaitTime, u32 Reserved",
     4},
    // NTWMI: PERFINFO_CCSWAP_BUFFER. Items of 2, 4 or 8 bytes follow, packed by bits; the two
    // lowest bits give the size.
    {0x0525, 0, 2, "CompCS",
     "i64 FirstTimeStamp, u32*16 TidTable, i8*16 ThreadBasePriority, x16* Items"},
    // MOF: ThreadPriority, ReadyThread, ThreadAffinity, ThreadMigration, ThreadSetName.
    {0x0530, 0x31, 3, "SetPriority|SetBasePriority",
     "u32 ThreadId, u8 OldPriority, u8 NewPriority, u16 Reserved"},
    {0x0533, 0x34, 3, "SetPagePriority|SetIoPriority",
     "u32 ThreadId, u8 OldPriority, u8 NewPriority, u16 Reserved"},
    {0x0535, 0, 2, "ThreadAffinity", "P Affinity, u32 ThreadId, u16 Group, u16 Reserved"},
    {0x053D, 0, 2, "ThreadMigration",
     "u32 ThreadId, u16 SourceProcessorIndex, u16 TargetProcessorIndex, u8 Priority, "
     "b8 IdealProcessorAdjust, u16 OldIdealProcessorIndex"},
    {0x0532, 0, 2, "ReadyThread",
     "u32 TThreadId, i8 AdjustReason, i8 AdjustIncrement, u8 Flag, u8 Reserved"},
    {0x0548, 0, 2, "SetName", "u32 ProcessId, u32 TThreadId, w ThreadName"},

    // MOF: TcpIp_SendIPV4, TcpIp_TypeGroup1 to 4, TcpIp_Fail, UdpIp_TypeGroup1 and 2, UdpIp_Fail.
    {0x060A, 0, 2, "Send", TAILGATE_TCP4 TAILGATE_TCP_SEND},
    {0x060B, 0, 2, "Recv", TAILGATE_TCP4 TAILGATE_TCP_RECV},
    {0x060C, 0, 2, "Connect", TAILGATE_TCP4 TAILGATE_TCP_OPEN},
    {0x060D, 0x0E, 2, "Disconnect|Retransmit", TAILGATE_TCP4 TAILGATE_TCP_RECV},
    {0x060F, 0, 2, "Accept", TAILGATE_TCP4 TAILGATE_TCP_OPEN},
    {0x0610, 0, 2, "Reconnect", TAILGATE_TCP4 TAILGATE_TCP_RECV},
    {0x0611, 0, 2, "Fail", "u16 Proto, u16 FailureCode"},
    {0x0612, 0, 2, "TCPCopy", TAILGATE_TCP4 TAILGATE_TCP_RECV},
    {0x061A, 0, 2, "SendIPV6", TAILGATE_TCP6 TAILGATE_TCP_SEND},
    {0x061B, 0, 2, "RecvIPV6", TAILGATE_TCP6 TAILGATE_TCP_RECV},
    {0x061C, 0, 2, "ConnectIPV6", TAILGATE_TCP6 TAILGATE_TCP_OPEN},
    {0x061D, 0x1E, 2, "DisconnectIPV6|RetransmitIPV6", TAILGATE_TCP6 TAILGATE_TCP_RECV},
    {0x061F, 0, 2, "AcceptIPV6", TAILGATE_TCP6 TAILGATE_TCP_OPEN},
    {0x0620, 0, 2, "ReconnectIPV6", TAILGATE_TCP6 TAILGATE_TCP_RECV},
    {0x0622, 0, 2, "TCPCopyIPV6", TAILGATE_TCP6 TAILGATE_TCP_RECV},
    {0x080A, 0x0B, 2, "Send|Recv", TAILGATE_TCP4 TAILGATE_TCP_RECV},
    {0x0811, 0, 2, "Fail", "u16 Proto, u16 FailureCode"},
    {0x081A, 0x1B, 2, "SendIPV6|RecvIPV6", TAILGATE_TCP6 TAILGATE_TCP_RECV},

    // MOF: Registry_TypeGroup1.
    {0x090A, 0x1D, 2,
     "Create|Open|Delete|Query|SetValue|DeleteValue|QueryValue|EnumerateKey|"
     "EnumerateValueKey|QueryMultipleValue|SetInformation|Flush|KCBCreate|KCBDelete|"
     "KCBRundownBegin|KCBRundownEnd|Virtualize|Close|SetSecurity|QuerySecurity",
     "i64 InitialTime, x32 Status, u32 Index, P KeyHandle, w KeyName"},

    // MOF: SystemConfig_V2_CPU, SystemConfig_V3_CPU and so on; each class names its version.
    {0x0B0A, 0, 2, "CPU", TAILGATE_CPU_V2},
    {0x0B0A, 0, 3, "CPU",
     TAILGATE_CPU_V2 ", P HighestUserAddress, u16 ProcessorArchitecture, u16 ProcessorLevel, u16 "
                     "ProcessorRevision, u8 PaeEnabled, "
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
    {0x0B0E, 0, 2, "Video",
     "u32 MemorySize, u32 XResolution, u32 YResolution, u32 BitsPerPixel, u32 VRefresh, "
     "w256 ChipType, w256 DACType, w256 AdapterString, w256 BiosString, w256 DeviceId, "
     "x32 StateFlags"},
    {0x0B0F, 0, 2, "Services", TAILGATE_SERVICES_V2},
    {0x0B0F, 0, 3, "Services", TAILGATE_SERVICES_V2 ", w LoadOrderGroup, w SvchostGroup"},
    {0x0B10, 0, 2, "Power", "u8 S1, u8 S2, u8 S3, u8 S4, u8 S5, u8 Pad1, u8 Pad2, u8 Pad3"},
    {0x0B11, 0, 2, "Network",
     "u32 TcbTablePartitions, u32 MaxHashTableSize, u32 MaxUserPort, u32 TcpTimedWaitDelay"},
    {0x0B12, 0, 2, "OpticalDisk",
     "u16 DiskNumber, u16 BusType, u16 DeviceType, u16 MediaType, u64 StartingOffset, u64 Size, "
     "u64 NumberOfFreeBlocks, u64 TotalNumberOfBlocks, u64 NextWritableAddress, "
     "u32 NumberOfSessions, u32 NumberOfTracks, u32 BytesPerSector, u16 DiscStatus, "
     "u16 LastSessionStatus, w DriveLetter, w FileSystemName, s DeviceName, s ManufacturerName"},
    // NTWMI: WMI_IRQ_RECORD, WMI_PNP_RECORD_V3 to V5, for these two as well.
    {0x0B15, 0, 2, "IRQ",
     "x64 IRQAffinity, u32 IRQNum, u32 DeviceDescriptionLen, w DeviceDescription"},
    {0x0B15, 0, 3, "IRQ",
     "x64 IRQAffinity, u16 IRQGroup, u16 Reserved, u32 IRQNum, u32 DeviceDescriptionLen, "
     "w DeviceDescription"},
    {0x0B16, 0, 2, "PnP", TAILGATE_PNP_V2},
    {0x0B16, 0, 3, "PnP", TAILGATE_PNP_V2 ", w PdoName"},
    {0x0B16, 0, 4, "PnP",
     "guid ClassGuid, u32 UpperFiltersCount, u32 LowerFiltersCount" TAILGATE_PNP_TAIL},
    {0x0B16, 0, 5, "PnP",
     "guid ClassGuid, u32 UpperFiltersCount, u32 LowerFiltersCount, x32 DevStatus, "
     "u32 DevProblem" TAILGATE_PNP_TAIL},
    {0x0B17, 0, 2, "IDEChannel",
     "u32 TargetId, u32 DeviceType, x32 DeviceTimingMode, u32 LocationInformationLen, "
     "w LocationInformation"},
    {0x0B18, 0, 2, "NumaNode", "u32 NodeCount, x64*NodeCount NodeMap"},
    {0x0B19, 0, 2, "Platform",
     "w SystemManufacturer, w SystemProductName, w BiosDate, w BiosVersion"},
    {0x0B1A, 0, 2, "ProcessorGroup", "u32 GroupCount, P*GroupCount Affinity"},
    {0x0B1B, 0, 2, "ProcessorNumber", "u32 ProcessorCount, x32*ProcessorCount ProcessorNumber"},
    {0x0B1C, 0, 2, "DPI", "u32 MachineDPI, u32 UserDPI"},
    {0x0B1D, 0, 2, "CodeIntegrity", "x32 CodeIntegrityInfo"},
    {0x0B1E, 0, 2, "TelemetryConfiguration", "guid MachineId"},
    {0x0B1F, 0, 2, "Defragmentation",
     "u64 AlignmentClusters, u64 AvgFreeSpaceSize, u64 ClustersPerSlab, "
     "u64 FragmentedDirectoryExtents, u64 FragmentedExtents, u64 FreeSpaceCount, "
     "u64 LargestFreeSpaceSize, u64 LastRunActualPurgeClusters, u64 LastRunClustersTrimmed, "
     "u64 LastRunFullDefragTime, u64 LastRunTime, u64 MFTSize, u64 TotalClusters, "
     "u64 TotalUsedClusters, u32 AvgFragmentsPerFile, u32 BytesPerCluster, u32 DirectoryCount, "
     "u32 FragmentedDirectories, u32 FragmentedFiles, u32 FragmentedSpace, u32 HardwareIssue, "
     "u32 InUseMFTRecords, u32 InUseSlabs, u32 LastRunActualPurgeSlabs, "
     "u32 LastRunInitialBackedSlabs, u32 LastRunPercentFragmentation, u32 LastRunPinnedSlabs, "
     "u32 LastRunPotentialPurgeSlabs, u32 LastRunSpaceInefficientSlabs, u32 LastRunTrimmedSlabs, "
     "u32 LastRunUnknownEvictFailSlabs, u32 LastRunVolsnapPinnedSlabs, u32 MFTFragmentCount, "
     "u32 MovableFiles, u32 TotalMFTRecords, u32 TotalSlabs, u32 UnmovableFiles, guid VolumeId, "
     "w VolumePathNames"},
    {0x0B21, 0, 2, "DeviceFamily", "x64 UAPInfo, u32 DeviceFamily, u32 DeviceForm"},
    {0x0B22, 0, 2, "FlightIds", "w UpdateId, w FlightIdList"},
    {0x0B23, 0, 2, "Processors",
     "u32 ProcessorIndex, x32 FeatureSet, u32 ProcessorSpeed, w64 ProcessorName, "
     "w16 VendorIdentifier, w128 ProcessorIdentifier"},
    // MOF: SystemConfig_Virtualization, SystemConfig_Boot.
    {0x0B24, 0, 2, "Virtualization",
     "b8 VbsEnabled, b8 HvciEnabled, b8 HyperVisorEnabled, u8 Reserved"},
    {0x0B25, 0, 2, "Boot",
     "x64 BootFlags, u32 FirmwareType, b8 SecureBootEnabled, b8 SecureBootCapable, "
     "u8 Reserved1, u8 Reserved2"},

    // MOF: SampledProfile (TraceEvent divides its last word), PmcCounterProf, PmcCounterConfig_V2,
    // ISR_MSI, SysCallEnter, SysCallExit, ISR, DPC, SampledProfileInterval_V2 and _V3.
    {0x0F2E, 0, 2, "SampledProfile",
     "P InstructionPointer, u32 ThreadId, u16 Count, x8 Flags, u8 Rank"},
    {0x0F2F, 0, 2, "PmcCounterProfile",
     "P InstructionPointer, u32 ThreadId, u16 ProfileSource, u16 Reserved"},
    {0x0F30, 0, 2, "PmcCounterConfig", "u32 CounterCount, w*CounterCount CounterName"},
    {0x0F32, 0, 2, "ISR-MSI",
     "u64 InitialTime, P Routine, u8 ReturnValue, u16 Vector, u8 Reserved, u32 MessageNumber"},
    {0x0F33, 0, 2, "SysClEnter", "P SysCallAddress"},
    {0x0F34, 0, 2, "SysClExit", "x32 SysCallNtStatus"},
    {0x0F42, 0, 2, "ThreadedDPC", "u64 InitialTime, P Routine"},
    {0x0F43, 0, 2, "ISR", "u64 InitialTime, P Routine, u8 ReturnValue, u16 Vector, u8 Reserved"},
    {0x0F44, 0x46, 2, "DPC|TimerDPC|IOTimer", "u64 InitialTime, P Routine"},
    {0x0F48, 0x4A, 2, "SetInterval|CollectionStart|CollectionEnd",
     "u32 Source, u32 NewInterval, u32 OldInterval"},
    {0x0F48, 0x4A, 3, "SetInterval|CollectionStart|CollectionEnd",
     "u32 Source, u32 NewInterval, u32 OldInterval, w SourceName"},
    {0x0F5F, 0, 2, "ISR-PASS",
     "u64 InitialTime, P Routine, u8 ReturnValue, u16 Vector, u8 Reserved"},

    // MOF: HeapCreate, HeapAlloc and so on: the published kerneltraceeventparser.mof, and for
    // version 3 and types from 47 on the classes HeapCreate, HeapSnapShot, Heap_SubsegmentGroup and
    // so on of root/WMI (microsoft/wmi lists them); names of those types: NTWMI. Windows' symbol
    // files
    // (_ETW_HEAP_EVENT_ALLOC and so on) have the same fields and sizes, without gaps, and two later
    // ones: HeapTag and HeapType.
    {0x1020, 0, 2, "Create", "P HeapHandle, x32 HeapFlags"},
    {0x1020, 0, 3, "Create",
     "P HeapHandle, x32 HeapFlags, Z ReservedSpace, Z CommittedSpace, Z AllocatedSpace"},
    {0x1021, 0, 2, "Alloc", "P HeapHandle, Z AllocSize, P AllocAddress, u32 SourceId"},
    {0x1022, 0, 2, "ReAlloc",
     "P HeapHandle, P NewAllocAddress, P OldAllocAddress, Z NewAllocSize, Z OldAllocSize, "
     "u32 SourceId"},
    {0x1023, 0, 2, "Destroy", "P HeapHandle"},
    {0x1024, 0, 2, "Free", "P HeapHandle, P FreeAddress, u32 SourceId"},
    {0x1025, 0, 2, "Expand", TAILGATE_HEAP_EXPAND},
    {0x1025, 0, 3, "Expand", TAILGATE_HEAP_EXPAND ", Z AllocatedSpace"},
    {0x1026, 0, 2, "SnapShot", TAILGATE_HEAP_SNAPSHOT},
    {0x1026, 0, 3, "SnapShot", TAILGATE_HEAP_SNAPSHOT ", Z AllocatedSpace, ?Z HeapTag"},
    {0x102A, 0, 2, "Contract", TAILGATE_HEAP_CONTRACT},
    {0x102A, 0, 3, "Contract", TAILGATE_HEAP_CONTRACT ", Z AllocatedSpace"},
    {0x102B, 0x2E, 2, "Lock|Unlock|Validate|Walk", "P HeapHandle"},
    {0x102F, 0x32, 2, "SubSegmentAlloc|SubSegmentFree|SubSegmentAllocCache|SubSegmentFreeCache",
     "P HeapHandle, P SubSegment, Z SubSegmentSize, Z BlockSize, ?u8 HeapType, pad7"},
    {0x1033, 0x34, 2, "Commit|Decommit", "P HeapHandle, P Block, Z Size, u32 Caller, pad4"},
    {0x1035, 0, 2, "SubSegmentInit",
     "P HeapHandle, P SubSegment, Z BlockSize, Z BlockCount, u32 AffinityIndex"},
    {0x1036, 0, 2, "AffinityEnable", "P HeapHandle, u32 BucketIndex"},
    {0x1038, 0, 2, "SubSegmentActivated", "P HeapHandle, P SubSegment"},
    {0x1039, 0, 2, "AffinityAssign", "P HeapHandle, P SubSegment, u32 SlotIndex"},
    {0x103A, 0, 2, "ReuseThresholdActivated", "P HeapHandle, P SubSegment, u32 BucketIndex"},

    // MOF: Image_Load +, KernelImageBase, HypercallPage.
    {0x1402, 4, 0, "Unload|DCStart|DCStop", "P ImageBase, u32 ImageSize, w FileName"},
    {0x1402, 4, 1, "Unload|DCStart|DCStop", "P ImageBase, Z ImageSize, u32 ProcessId, w FileName"},
    {0x1402, 4, 2, "Unload|DCStart|DCStop",
     "P ImageBase, Z ImageSize, u32 ProcessId, u32 ImageChecksum, u32 TimeDateStamp, "
     "u32 Reserved0, " TAILGATE_IMAGE_TAIL},
    {0x1402, 4, 3, "Unload|DCStart|DCStop",
     "P ImageBase, Z ImageSize, u32 ProcessId, u32 ImageChecksum, u32 TimeDateStamp, "
     "u8 SignatureLevel, u8 SignatureType, u16 Reserved0, " TAILGATE_IMAGE_TAIL},
    {0x030A, 0, 0, "Load", "P ImageBase, u32 ImageSize, w FileName"},
    {0x030A, 0, 1, "Load", "P ImageBase, Z ImageSize, u32 ProcessId, w FileName"},
    {0x030A, 0, 2, "Load",
     "P ImageBase, Z ImageSize, u32 ProcessId, u32 ImageChecksum, u32 TimeDateStamp, "
     "u32 Reserved0, " TAILGATE_IMAGE_TAIL},
    {0x030A, 0, 3, "Load",
     "P ImageBase, Z ImageSize, u32 ProcessId, u32 ImageChecksum, u32 TimeDateStamp, "
     "u8 SignatureLevel, u8 SignatureType, u16 Reserved0, " TAILGATE_IMAGE_TAIL},
    {0x1421, 0x22, 2, "KernelBase|HypercallPage", "P ImageBase"},

    // MOF: CritSecCollision, CritSecInit: the published kerneltraceeventparser.mof.
    {0x1722, 0, 2, "Collision", "u32 LockCount, u32 SpinCount, P OwningThread, P CritSecAddr"},
    {0x1723, 0, 2, "Initialize", "P SpinCount, P CritSecAddr"},

    // MOF: StackWalk_Event, StackWalk_TypeGroup1, StackWalk_Key; with as many frames as there are.
    {0x1820, 0, 2, "Stack", "x64 EventTimeStamp, u32 StackProcess, u32 StackThread, P* Stack"},
    {0x1822, 0x24, 2, "KeyCreate|KeyDelete|KeyRundown", "P StackKey, P* Stack"},
    {0x1825, 0x26, 2, "KeyKernel|KeyUser",
     "x64 EventTimeStamp, u32 StackProcess, u32 StackThread, P StackKey"},

    // MOF: ALPC_Send_Message and so on.
    {0x1A21, 0x23, 2, "ALPC-Send-Message|ALPC-Receive-Message|ALPC-Wait-For-Reply",
     "u32 MessageID"},
    {0x1A24, 0, 2, "ALPC-Wait-For-New-Message", "u32 IsServerPort, w PortName"},
    {0x1A25, 0, 2, "ALPC-Unwait", "x32 Status"},

    // MOF: SplitIo_Info.
    {0x1B20, 0, 2, "VolMgr", "P ParentIrp, P ChildIrp"},

    // MOF: TPCBEnqueue, TPCBDequeue, TPCBCancel, TPPoolCreateClose, TPThreadSet: the published
    // kerneltraceeventparser.mof.
    {0x1C20, 0, 2, "CBEnqueue",
     "P PoolId, P TaskId, P CallbackFunction, P CallbackContext, P SubProcessTag"},
    {0x1C21, 0, 2, "CBDequeue", "P TaskId"},
    {0x1C22, 0, 2, "CBStart",
     "P PoolId, P TaskId, P CallbackFunction, P CallbackContext, P SubProcessTag"},
    {0x1C23, 0, 2, "CBStop", "P TaskId"},
    {0x1C24, 0, 2, "CBCancel", "P TaskId, u32 CancelCount"},
    {0x1C25, 0x26, 2, "PoolCreate|PoolClose", "P PoolId"},
    {0x1C27, 0x28, 2, "ThreadMinSet|ThreadMaxSet", "P PoolId, u32 ThreadNum"},
};

constexpr std::string_view kImageId = "b3e675d7-2554-4f18-830b-2762732560de";
constexpr std::string_view kMetaData = "bbccf6c1-6cd1-48c4-80ff-839482e37671";
constexpr std::string_view kMergeConfig = "9b79ee91-b5fd-41c0-a243-4248e266e9d0";
constexpr std::string_view kWinSat = "ed54dff8-c409-4cf6-bf83-05e1e61a09c4";

// What merge tools add to a trace. Nothing public describes ImageID's opcodes 34, 39 and 41 (nor
// does TraceEvent know them) and SysConfig's 36, so these stay undecoded.
constexpr ClassicLayoutRow kClassicRows[] = {
    // TraceEvent: ImageIDTraceData, DbgIDRSDSTraceData and so on; NTWMI: WMI_IMAGEID_INFORMATION.
    {kImageId, "KernelTraceControl", "ImageID", 0, 2, "",
     "P ImageBase, Z ImageSize, u32 ProcessId, u32 TimeDateStamp, w OriginalFileName"},
    {kImageId, "KernelTraceControl", "ImageID", 32, 2, "None", "P ImageBase, u32 ProcessId"},
    {kImageId, "KernelTraceControl", "ImageID", 36, 2, "DbgID_RSDS",
     "P ImageBase, u32 ProcessId, guid GuidSig, u32 Age, s PDBFileName"},
    {kImageId, "KernelTraceControl", "ImageID", 37, 2, "DbgID_ILRSDS",
     "P ImageBase, u32 ProcessId, guid GuidSig, u32 Age, s PDBFileName"},
    {kImageId, "KernelTraceControl", "ImageID", 38, 2, "DbgPPDB",
     "P ImageBase, u32 ProcessId, x32 TimeDateStamp, u16 MajorVersion, u16 MinorVersion"},
    {kImageId, "KernelTraceControl", "ImageID", 40, 1, "DbgDeterm", "P ImageBase, u32 ProcessId"},
    {kImageId, "KernelTraceControl", "ImageID", 64, 0, "FileVersion",
     "u32 ImageSize, u32 TimeDateStamp, w OrigFileName, w FileDescription, w FileVersion, "
     "w BinFileVersion, w VerLanguage, w ProductName, w CompanyName, w ProductVersion, w FileId, "
     "w ProgramId"},
    // tdh.h: TRACE_EVENT_INFO, and a GUID before EVENT_MAP_INFO. event_info.h decodes the rest.
    {kMetaData, "KernelTraceControl", "MetaData", 32, 0, "EventInfo",
     "guid ProviderGuid, guid EventGuid, u16 EventId, u8 EventVersion, u8 Channel, u8 Level, "
     "u8 Opcode, u16 Task, x64 Keyword, u32 DecodingSource, raw Description"},
    {kMetaData, "KernelTraceControl", "MetaData", 33, 0, "EventMapInfo",
     "guid ProviderGuid, u32 NameOffset, x32 Flag, u32 EntryCount, u32 ValueType, raw Entries"},
    // TraceEvent: BuildInfoTraceData, SystemPathsTraceData, VolumeMappingTraceData. Opcode 37 has
    // the same bytes as SystemConfig's DeviceFamily in the same trace (real).
    {kMergeConfig, "Windows Kernel", "SysConfig", 32, 0, "BuildInfo",
     "ft InstallDate, w BuildLab, w ProductName"},
    {kMergeConfig, "Windows Kernel", "SysConfig", 33, 0, "SystemPaths",
     "w SystemDirectory, w SystemWindowsDirectory"},
    {kMergeConfig, "Windows Kernel", "SysConfig", 34, 0, "UnknownVolume", "w Value"},
    {kMergeConfig, "Windows Kernel", "SysConfig", 35, 0, "VolumeMapping", "w NtPath, w DosPath"},
    {kMergeConfig, "Windows Kernel", "SysConfig", 37, 0, "DeviceFamily",
     "x64 UAPInfo, u32 DeviceFamily, u32 DeviceForm"},
    // TraceEvent: WinSatXmlTraceData.
    {kWinSat, "KernelTraceControl", "WinSat", 33, 0, "WinSPR", "u32 State, u32 XmlBytes, raw Xml",
     true},
    {kWinSat, "KernelTraceControl", "WinSat", 35, 0, "Metrics", "u32 State, u32 XmlBytes, raw Xml",
     true},
    {kWinSat, "KernelTraceControl", "WinSat", 37, 0, "SystemConfig",
     "u32 State, u32 XmlBytes, raw Xml", true},
};

}  // namespace

std::span<const KernelLayoutRow> kernel_layout_rows() {
  return kKernelRows;
}

std::span<const ClassicLayoutRow> classic_layout_rows() {
  return kClassicRows;
}

}  // namespace tailgate::etl
