// Every layout that was wrong or missing once, with the bytes of a record spelled out. The sources
// are those of kernel_layout_table.cpp; a case names the class or structure.
#include "harness/etl/kernel_layouts.h"

#include <catch2/catch.hpp>

#include "harness/etl/testing/decode_record.h"

using namespace tailgate::etl;

namespace {

const Guid kClass = *parse_guid("4d36e97d-e325-11ce-bfc1-08002be10318");

KernelRecord kernel(std::uint16_t hook_id, std::uint8_t version, const ByteBuilder& payload,
                    unsigned pointer_bytes = 8) {
  KernelRecord record;
  record.hook_id = hook_id;
  record.version = version;
  record.payload = payload.bytes();
  record.pointer_bytes = pointer_bytes;
  return record;
}

// Decodes a record that must fit its layout, of which it must be the version.
std::string fitting(const Decoded& decoded, std::string_view name) {
  CHECK(decoded.name == name);
  CHECK(decoded.fits);
  CHECK_FALSE(decoded.other_version);
  return decoded.tsv;
}

// Text in an array of characters.
void fixed16(ByteBuilder& builder, std::string_view text, std::size_t characters) {
  builder.text16(text).zeros(2 * (characters - text.size() - 1));
}

}  // namespace

TEST_CASE("layout: EventTrace/Header (TRACE_LOGFILE_HEADER), with its time zone") {
  const unsigned pointer_bytes = GENERATE(4u, 8u);
  ByteBuilder b;
  b.u32(65536).u32(0x0501000A).u32(22000).u32(4).u64(132'000'000'000'000'000).u32(156250);
  b.u32(100).u32(0x10000).u32(7).u32(1).u32(8).u32(3).u32(2400);
  b.pointer(5, pointer_bytes).pointer(6, pointer_bytes);
  b.u32(0xFFFFFFC4);
  fixed16(b, "W. Europe Standard Time", 32);
  b.u16(0).u16(10).u16(0).u16(5).u16(3).u16(0).u16(0).u16(0).u32(0);
  fixed16(b, "W. Europe Daylight Time", 32);
  b.u16(0).u16(3).u16(0).u16(5).u16(2).u16(0).u16(0).u16(0).u32(0xFFFFFFC4);
  b.zeros(4);  // what follows is aligned
  b.u64(131'000'000'000'000'000).u64(10'000'000).u64(132'000'000'000'000'000).u32(1).u32(0);
  b.text16("a").text16("b");
  const Decoded decoded = decode_kernel(kernel(0x0000, 2, b, pointer_bytes));
  const std::string tsv = fitting(decoded, "EventTrace/Header");
  CHECK(decoded.padding_bytes == 4);
  CHECK(tsv.find("\tUtcOffsetMinutes=-60\tStandardName=W. Europe Standard Time"
                 "\tStandardDate=M10.5.0/03:00:00\tStandardBias=0"
                 "\tDaylightName=W. Europe Daylight Time\tDaylightDate=M3.5.0/02:00:00"
                 "\tDaylightBias=-60\tBootTime=") != std::string::npos);
  CHECK(tsv.ends_with("\tReservedFlags=1\tBuffersLost=0\tSessionName=a\tLogFileName=b"));
}

TEST_CASE("layout: EventTrace (Header_DbgIdRSDS_TypeGroup and so on)") {
  CHECK(fitting(decode_kernel(kernel(0x0040, 2, ByteBuilder().guid(kClass).u32(3).text8("a.pdb"))),
                "EventTrace/DbgIdRSDS") ==
        "\tGuid=4d36e97d-e325-11ce-bfc1-08002be10318\tAge=3\tPdbName=a.pdb");
  CHECK(fitting(decode_kernel(kernel(0x0042, 2, ByteBuilder().text8("19041.1.amd64fre"))),
                "EventTrace/BuildInfo") == "\tBuildString=19041.1.amd64fre");
  CHECK(fitting(decode_kernel(kernel(
                    0x0043, 2, ByteBuilder().u32(2).guid(kClass).guid(kClass).text16("c:\\x"))),
                "EventTrace/ProviderBinaryPath") ==
        "\tGuidCount=2\tGuid=[4d36e97d-e325-11ce-bfc1-08002be10318,"
        "4d36e97d-e325-11ce-bfc1-08002be10318]\tBinaryPath=c:\\\\x");
  CHECK(fitting(decode_kernel(kernel(
                    0x0050, 2, ByteBuilder().u16(0).u16(0).u32(1).u64(7).guid(kClass).zeros(16))),
                "EventTrace/PartitionInfoExtension") ==
        "\tEventVersion=0\tReserved=0\tPartitionType=1\tQpcOffsetFromRoot=7"
        "\tPartitionId=4d36e97d-e325-11ce-bfc1-08002be10318"
        "\tParentId=00000000-0000-0000-0000-000000000000");
  CHECK(fitting(decode_kernel(kernel(0x0052, 2, ByteBuilder().u32(2).u32(0).u64(8).u64(9))),
                "EventTrace/LastDroppedTimes") == "\tCount=2\tReserved=0\tLastDroppedTime=[8,9]");
}

TEST_CASE("layout: SystemConfig/CPU and Services in two versions (SystemConfig_V2_CPU and so on)") {
  ByteBuilder cpu;
  cpu.u32(2400).u32(4).u32(8192).u32(4096).u32(65536);
  fixed16(cpu, "HOST", 256);
  fixed16(cpu, "DOMAIN", 134);
  cpu.u64(0xF);
  const std::string second =
      "\tMHz=2400\tNumberOfProcessors=4\tMemSize=8192\tPageSize=4096\tAllocationGranularity=65536"
      "\tComputerName=HOST\tDomainName=DOMAIN\tHyperThreadingFlag=0xf";
  CHECK(fitting(decode_kernel(kernel(0x0B0A, 2, cpu)), "SystemConfig/CPU") == second);
  cpu.u64(0x7FFFFFFEFFFF).u16(9).u16(6).u16(0x4F01).u8(1).u8(0).u32(2133);
  CHECK(fitting(decode_kernel(kernel(0x0B0A, 3, cpu)), "SystemConfig/CPU") ==
        second +
            "\tHighestUserAddress=0x7ffffffeffff\tProcessorArchitecture=9\tProcessorLevel=6"
            "\tProcessorRevision=20225\tPaeEnabled=1\tNxEnabled=0\tMemorySpeed=2133");
  ByteBuilder service;
  service.u32(900).u32(4).u32(7).text16("s").text16("S").text16("svchost");
  const std::string head =
      "\tProcessId=900\tServiceState=4\tSubProcessTag=7\tServiceName=s"
      "\tDisplayName=S\tProcessName=svchost";
  CHECK(fitting(decode_kernel(kernel(0x0B0F, 2, service)), "SystemConfig/Services") == head);
  service.text16("Base").text16("netsvcs");
  CHECK(fitting(decode_kernel(kernel(0x0B0F, 3, service)), "SystemConfig/Services") ==
        head + "\tLoadOrderGroup=Base\tSvchostGroup=netsvcs");
}

TEST_CASE("layout: SystemConfig/Video (SystemConfig_V2_Video) and OpticalDisk (_OpticalMedia)") {
  ByteBuilder video;
  video.u32(1 << 20).u32(1920).u32(1080).u32(32).u32(60);
  for (const char* text : {"chip", "dac", "adapter", "bios", "device"}) fixed16(video, text, 256);
  video.u32(5);
  CHECK(fitting(decode_kernel(kernel(0x0B0E, 2, video)), "SystemConfig/Video") ==
        "\tMemorySize=1048576\tXResolution=1920\tYResolution=1080\tBitsPerPixel=32\tVRefresh=60"
        "\tChipType=chip\tDACType=dac\tAdapterString=adapter\tBiosString=bios\tDeviceId=device"
        "\tStateFlags=0x5");
  ByteBuilder disk;
  disk.u16(0).u16(2).u16(5).u16(16).u64(1).u64(2).u64(3).u64(4).u64(5).u32(6).u32(7).u32(2048);
  disk.u16(1).u16(2).text16("D:").text16("UDF").text8("DVD").text8("Maker");
  CHECK(fitting(decode_kernel(kernel(0x0B12, 2, disk)), "SystemConfig/OpticalDisk") ==
        "\tDiskNumber=0\tBusType=2\tDeviceType=5\tMediaType=16\tStartingOffset=1\tSize=2"
        "\tNumberOfFreeBlocks=3\tTotalNumberOfBlocks=4\tNextWritableAddress=5\tNumberOfSessions=6"
        "\tNumberOfTracks=7\tBytesPerSector=2048\tDiscStatus=1\tLastSessionStatus=2\tDriveLetter=D:"
        "\tFileSystemName=UDF\tDeviceName=DVD\tManufacturerName=Maker");
}

TEST_CASE("layout: SystemConfig/IRQ in two versions (SystemConfig_V2_IRQ, WMI_IRQ_RECORD)") {
  CHECK(fitting(decode_kernel(
                    kernel(0x0B15, 2, ByteBuilder().u64(0xFF).u32(11).u32(6).text16("PCI\\X"))),
                "SystemConfig/IRQ") ==
        "\tIRQAffinity=0xff\tIRQNum=11\tDeviceDescriptionLen=6"
        "\tDeviceDescription=PCI\\\\X");
  ByteBuilder third;
  third.u64(0xFFFFFFFF).u16(1).u16(0).u32(10).u32(6).text16("PCI\\X");
  CHECK(fitting(decode_kernel(kernel(0x0B15, 3, third)), "SystemConfig/IRQ") ==
        "\tIRQAffinity=0xffffffff\tIRQGroup=1\tReserved=0\tIRQNum=10\tDeviceDescriptionLen=6"
        "\tDeviceDescription=PCI\\\\X");
}

TEST_CASE("layout: SystemConfig/PnP in four versions (SystemConfig_V3_PnP, WMI_PNP_RECORD_V5)") {
  ByteBuilder old;
  old.u32(5).u32(7).u32(2).text16("ID").text16("device").text16("f");
  const std::string second =
      "\tIDLength=5\tDescriptionLength=7\tFriendlyNameLength=2\tDeviceID=ID"
      "\tDeviceDescription=device\tFriendlyName=f";
  CHECK(fitting(decode_kernel(kernel(0x0B16, 2, old)), "SystemConfig/PnP") == second);
  old.text16("pdo");
  CHECK(fitting(decode_kernel(kernel(0x0B16, 3, old)), "SystemConfig/PnP") ==
        second + "\tPdoName=pdo");
  ByteBuilder texts;
  texts.text16("ID").text16("device").text16("").text16("pdo").text16("srv");
  texts.text16("up1").text16("up2").text16("low");
  const std::string fields =
      "\tDeviceID=ID\tDeviceDescription=device\tFriendlyName=\tPdoName=pdo\tServiceName=srv"
      "\tUpperFilters=[up1,up2]\tLowerFilters=[low]";
  const std::string head =
      "\tClassGuid=4d36e97d-e325-11ce-bfc1-08002be10318\tUpperFiltersCount=2"
      "\tLowerFiltersCount=1";
  ByteBuilder fourth;
  fourth.guid(kClass).u32(2).u32(1).raw(texts.bytes());
  CHECK(fitting(decode_kernel(kernel(0x0B16, 4, fourth)), "SystemConfig/PnP") == head + fields);
  ByteBuilder fifth;
  fifth.guid(kClass).u32(2).u32(1).u32(0x0180200A).u32(0).raw(texts.bytes());
  CHECK(fitting(decode_kernel(kernel(0x0B16, 5, fifth)), "SystemConfig/PnP") ==
        head + "\tDevStatus=0x180200a\tDevProblem=0" + fields);
}

TEST_CASE("layout: SystemConfig, processors (SystemConfig_V2_NumaNode, _ProcGroup, _ProcNumber)") {
  CHECK(fitting(decode_kernel(kernel(0x0B18, 2, ByteBuilder().u32(2).u64(0xF).u64(0xF0))),
                "SystemConfig/NumaNode") == "\tNodeCount=2\tNodeMap=[0xf,0xf0]");
  const unsigned pointer_bytes = GENERATE(4u, 8u);
  ByteBuilder groups;
  groups.u32(2).pointer(0xFF, pointer_bytes).pointer(0x3, pointer_bytes);
  CHECK(fitting(decode_kernel(kernel(0x0B1A, 2, groups, pointer_bytes)),
                "SystemConfig/ProcessorGroup") == "\tGroupCount=2\tAffinity=[0xff,0x3]");
  CHECK(fitting(decode_kernel(kernel(0x0B1B, 2, ByteBuilder().u32(2).u32(0x10).u32(0x100))),
                "SystemConfig/ProcessorNumber") ==
        "\tProcessorCount=2\tProcessorNumber=[0x10,0x100]");
  ByteBuilder processor;
  processor.u32(1).u32(0x3D1B3DFF).u32(2300);
  fixed16(processor, "Xeon", 64);
  fixed16(processor, "Intel", 16);
  fixed16(processor, "Family 6", 128);
  CHECK(fitting(decode_kernel(kernel(0x0B23, 2, processor)), "SystemConfig/Processors") ==
        "\tProcessorIndex=1\tFeatureSet=0x3d1b3dff\tProcessorSpeed=2300\tProcessorName=Xeon"
        "\tVendorIdentifier=Intel\tProcessorIdentifier=Family 6");
}

TEST_CASE("layout: SystemConfig, settings (SystemConfig_V2_DPI, _CodeIntegrity and so on)") {
  CHECK(fitting(decode_kernel(kernel(0x0B1C, 2, ByteBuilder().u32(96).u32(120))),
                "SystemConfig/DPI") == "\tMachineDPI=96\tUserDPI=120");
  CHECK(fitting(decode_kernel(kernel(0x0B1D, 2, ByteBuilder().u32(0x201))),
                "SystemConfig/CodeIntegrity") == "\tCodeIntegrityInfo=0x201");
  CHECK(fitting(decode_kernel(kernel(0x0B1E, 2, ByteBuilder().guid(kClass))),
                "SystemConfig/TelemetryConfiguration") ==
        "\tMachineId=4d36e97d-e325-11ce-bfc1-08002be10318");
  CHECK(fitting(decode_kernel(kernel(0x0B21, 2, ByteBuilder().u64(0xA00004A6101C2).u32(3).u32(0))),
                "SystemConfig/DeviceFamily") ==
        "\tUAPInfo=0xa00004a6101c2\tDeviceFamily=3\tDeviceForm=0");
  CHECK(fitting(decode_kernel(kernel(0x0B22, 2, ByteBuilder().text16("id.1").text16("a,b"))),
                "SystemConfig/FlightIds") == "\tUpdateId=id.1\tFlightIdList=a,b");
  CHECK(fitting(decode_kernel(kernel(0x0B24, 2, ByteBuilder().u8(1).u8(0).u8(1).u8(9))),
                "SystemConfig/Virtualization") ==
        "\tVbsEnabled=true\tHvciEnabled=false\tHyperVisorEnabled=true\tReserved=9");
  ByteBuilder boot;
  boot.u64(0x10).u32(2).u8(1).u8(1).u8(0x24).u8(0x0B);
  CHECK(fitting(decode_kernel(kernel(0x0B25, 2, boot)), "SystemConfig/Boot") ==
        "\tBootFlags=0x10\tFirmwareType=2\tSecureBootEnabled=true\tSecureBootCapable=true"
        "\tReserved1=36\tReserved2=11");
}

TEST_CASE("layout: SystemConfig/Defragmentation (SystemConfig_V2_Defrag)") {
  ByteBuilder b;
  for (unsigned i = 1; i <= 14; ++i) b.u64(i);
  for (unsigned i = 15; i <= 37; ++i) b.u32(i);
  b.guid(kClass).text16("C:\\");
  const Decoded decoded = decode_kernel(kernel(0x0B1F, 2, b));
  const std::string tsv = fitting(decoded, "SystemConfig/Defragmentation");
  CHECK(tsv.starts_with("\tAlignmentClusters=1\tAvgFreeSpaceSize=2\tClustersPerSlab=3"));
  CHECK(decoded.fields["TotalUsedClusters"] == 14);
  CHECK(decoded.fields["AvgFragmentsPerFile"] == 15);
  CHECK(decoded.fields["InUseSlabs"] == 23);
  CHECK(
      tsv.ends_with("\tTotalSlabs=36\tUnmovableFiles=37"
                    "\tVolumeId=4d36e97d-e325-11ce-bfc1-08002be10318\tVolumePathNames=C:\\\\"));
}

TEST_CASE("layout: driver events and split I/O (PERFINFO_DRIVER_MAJORFUNCTION, SplitIo_Info)") {
  const unsigned p = GENERATE(4u, 8u);
  const auto pointers = [p](std::initializer_list<std::uint64_t> values) {
    ByteBuilder b;
    for (std::uint64_t value : values) b.pointer(value, p);
    return b;
  };
  ByteBuilder call;
  call.u32(3).u32(1).raw(pointers({0xA, 0xB, 0xC}).bytes()).u32(9);
  CHECK(fitting(decode_kernel(kernel(0x0122, 2, call, p)), "DiskIo/DriverMajorFunctionCall") ==
        "\tMajorFunction=3\tMinorFunction=1\tRoutineAddr=0xa\tFileObject=0xb\tIrp=0xc"
        "\tUniqMatchId=9");
  for (auto [hook, name] : {std::pair(0x0123, "DiskIo/DriverMajorFunctionReturn"),
                            std::pair(0x0135, "DiskIo/DriverCompleteRequestReturn")}) {
    CHECK(fitting(
              decode_kernel(kernel(static_cast<std::uint16_t>(hook), 2, pointers({0xC}).u32(9), p)),
              name) == "\tIrp=0xc\tUniqMatchId=9");
  }
  CHECK(fitting(decode_kernel(kernel(0x0125, 2, pointers({0xA, 0xC}).u32(9), p)),
                "DiskIo/DriverCompletionRoutine") == "\tRoutine=0xa\tIrpPtr=0xc\tUniqMatchId=9");
  CHECK(fitting(decode_kernel(kernel(0x0134, 2, pointers({0xA, 0xC}).u32(9), p)),
                "DiskIo/DriverCompleteRequest") == "\tRoutineAddr=0xa\tIrp=0xc\tUniqMatchId=9");
  CHECK(fitting(decode_kernel(kernel(0x1B20, 2, pointers({0xA, 0xB}), p)), "SplitIo/VolMgr") ==
        "\tParentIrp=0xa\tChildIrp=0xb");
}

TEST_CASE("layout: optical disks (DiskIo_TypeGroup1 to 3)") {
  ByteBuilder read;
  read.u32(1).u32(0x43).u32(2048).u32(0).u64(4096).u64(0xA).u64(0xB).u64(77).u32(12);
  CHECK(fitting(decode_kernel(kernel(0x0137, 3, read)), "DiskIo/OpticalRead") ==
        "\tDiskNumber=1\tIrpFlags=0x43\tTransferSize=2048\tReserved=0\tByteOffset=4096"
        "\tFileObject=0xa\tIrp=0xb\tHighResResponseTime=77\tIssuingThreadId=12");
  CHECK(fitting(
            decode_kernel(kernel(0x0139, 3, ByteBuilder().u32(1).u32(2).u64(77).u64(0xB).u32(12))),
            "DiskIo/OpticalFlushBuffers") ==
        "\tDiskNumber=1\tIrpFlags=0x2\tHighResResponseTime=77\tIrp=0xb\tIssuingThreadId=12");
  CHECK(fitting(decode_kernel(kernel(0x013C, 3, ByteBuilder().u64(0xB).u32(12))),
                "DiskIo/OpticalFlushInit") == "\tIrp=0xb\tIssuingThreadId=12");
}

TEST_CASE("layout: threads in four versions (Thread_V1_TypeGroup1 to Thread_TypeGroup1)") {
  ByteBuilder first;
  first.u32(500).u32(8).u32(1).u32(2).u32(3).u32(4).u32(5).u32(6).u8(1).zeros(3);
  Decoded decoded = decode_kernel(kernel(0x0501, 1, first, 4));
  CHECK(fitting(decoded, "Thread/Start").ends_with("\tWin32StartAddr=0x6\tWaitMode=1"));
  CHECK(decoded.padding_bytes == 3);
  CHECK(fitting(decode_kernel(kernel(0x0502, 1, ByteBuilder().u32(500).u32(8), 4)),
                "Thread/Stop") == "\tProcessId=500\tTThreadId=8");
  ByteBuilder third;
  third.u32(500).u32(8);
  for (unsigned i = 1; i <= 7; ++i) third.u64(i);
  third.u32(9).u8(8).u8(5).u8(2).u8(0);
  const std::string tsv = fitting(decode_kernel(kernel(0x0501, 3, third)), "Thread/Start");
  CHECK(
      tsv.ends_with("\tSubProcessTag=9\tBasePriority=8\tPagePriority=5\tIoPriority=2"
                    "\tThreadFlags=0"));
  // The name is optional in version 3 and part of version 4.
  CHECK(decode_kernel(kernel(0x0501, 4, third)).missing_fields == 1);
  third.text16("worker");
  CHECK(fitting(decode_kernel(kernel(0x0501, 3, third)), "Thread/Start") ==
        tsv + "\tThreadName=worker");
  CHECK(fitting(decode_kernel(kernel(0x0504, 4, third)), "Thread/DCStop") ==
        tsv + "\tThreadName=worker");
}

TEST_CASE("layout: priorities and processors of threads (ThreadPriority, CSwitch_V4 and so on)") {
  const std::pair<std::uint16_t, const char*> kinds[] = {{0x0530, "Thread/SetPriority"},
                                                         {0x0531, "Thread/SetBasePriority"},
                                                         {0x0533, "Thread/SetPagePriority"},
                                                         {0x0534, "Thread/SetIoPriority"}};
  for (auto [hook, name] : kinds) {
    CHECK(fitting(decode_kernel(kernel(hook, 3, ByteBuilder().u32(8).u8(9).u8(10).u16(0))), name) ==
          "\tThreadId=8\tOldPriority=9\tNewPriority=10\tReserved=0");
  }
  CHECK(fitting(decode_kernel(kernel(0x0535, 2, ByteBuilder().u64(0xF).u32(8).u16(1).u16(0))),
                "Thread/ThreadAffinity") == "\tAffinity=0xf\tThreadId=8\tGroup=1\tReserved=0");
  CHECK(fitting(
            decode_kernel(kernel(0x053D, 2, ByteBuilder().u32(8).u16(1).u16(2).u8(9).u8(1).u16(3))),
            "Thread/ThreadMigration") ==
        "\tThreadId=8\tSourceProcessorIndex=1\tTargetProcessorIndex=2\tPriority=9"
        "\tIdealProcessorAdjust=true\tOldIdealProcessorIndex=3");
  ByteBuilder cswitch;
  cswitch.u32(12).u32(8).u8(9).u8(8).u8(1).u8(0).u8(6).u8(0x82).u8(5).u8(3).u32(7).u32(0);
  CHECK(fitting(decode_kernel(kernel(0x0524, 4, cswitch)), "Thread/CSwitch") ==
        "\tNewThreadId=12\tOldThreadId=8\tNewThreadPriority=9\tOldThreadPriority=8"
        "\tPreviousCState=1\tSpareByte=0\tOldThreadWaitReason=6\tThreadFlags=0x82"
        "\tOldThreadState=5\tOldThreadWaitIdealProcessor=3\tNewThreadWaitTime=7\tReserved=0");
}

TEST_CASE("layout: files and memory (FileIo_V2_MapFile, FileIo_PathOperation and so on)") {
  CHECK(fitting(
            decode_kernel(kernel(0x0425, 2, ByteBuilder().u64(1).u64(2).u64(3).u64(4096).u32(500))),
            "FileIo/MapFile") ==
        "\tViewBase=0x1\tFileObject=0x2\tMiscInfo=0x3\tViewSize=4096\tProcessId=500");
  ByteBuilder path;
  path.u64(1).u64(2).u64(3).u64(4).u32(8).u32(10).text16("new");
  CHECK(fitting(decode_kernel(kernel(0x0450, 3, path)), "FileIo/RenamePath") ==
        "\tIrpPtr=0x1\tFileObject=0x2\tFileKey=0x3\tExtraInfo=0x4\tIssuingThreadId=8"
        "\tInfoClass=10\tFileName=new");
  CHECK(fitting(decode_kernel(kernel(
                    0x0280, 2, ByteBuilder().u64(1).u64(4096).u32(500).u32(0x1000).u64(4096))),
                "PageFault/VirtualAllocDCStart") ==
        "\tBaseAddr=0x1\tRegionSize=4096\tProcessId=500\tFlags=0x1000\tCommitSizeInBytes=4096");
}

TEST_CASE("layout: blocks of heaps (HeapAlloc, HeapRealloc, HeapFree, _ETW_HEAP_EVENT_ALLOC)") {
  const unsigned p = GENERATE(4u, 8u);
  ByteBuilder alloc;
  alloc.pointer(0x150000, p).pointer(24, p).pointer(0x151230, p).u32(2);
  CHECK(alloc.bytes().size() == 3 * p + 4);  // symbol files: 28 bytes on 64-bit Windows
  CHECK(fitting(decode_kernel(kernel(0x1021, 2, alloc, p)), "Heap/Alloc") ==
        "\tHeapHandle=0x150000\tAllocSize=24\tAllocAddress=0x151230\tSourceId=2");
  ByteBuilder realloc;
  realloc.pointer(0x150000, p).pointer(0x152000, p).pointer(0x151230, p);
  realloc.pointer(564, p).pointer(308, p).u32(3);
  CHECK(fitting(decode_kernel(kernel(0x1022, 2, realloc, p)), "Heap/ReAlloc") ==
        "\tHeapHandle=0x150000\tNewAllocAddress=0x152000\tOldAllocAddress=0x151230"
        "\tNewAllocSize=564\tOldAllocSize=308\tSourceId=3");
  ByteBuilder free;
  free.pointer(0x150000, p).pointer(0x151230, p).u32(2);
  CHECK(fitting(decode_kernel(kernel(0x1024, 2, free, p)), "Heap/Free") ==
        "\tHeapHandle=0x150000\tFreeAddress=0x151230\tSourceId=2");
}

TEST_CASE("layout: heaps that begin, grow, shrink and end (HeapCreate, HeapExpand and so on)") {
  const unsigned p = GENERATE(4u, 8u);
  const auto created = [p] { return ByteBuilder().pointer(0x150000, p).u32(0x1002); };
  const std::string second = "\tHeapHandle=0x150000\tHeapFlags=0x1002";
  CHECK(fitting(decode_kernel(kernel(0x1020, 2, created(), p)), "Heap/Create") == second);
  CHECK(fitting(decode_kernel(kernel(
                    0x1020, 3, created().pointer(65536, p).pointer(4096, p).pointer(64, p), p)),
                "Heap/Create") ==
        second + "\tReservedSpace=65536\tCommittedSpace=4096\tAllocatedSpace=64");
  ByteBuilder grown;
  grown.pointer(0x150000, p).pointer(4096, p).pointer(0x160000, p);
  grown.pointer(10, p).pointer(20, p).pointer(30, p).u32(4);
  const std::string rest = "\tFreeSpace=10\tCommittedSpace=20\tReservedSpace=30\tNoOfUCRs=4";
  const std::string expand = "\tHeapHandle=0x150000\tCommittedSize=4096\tCommitAddress=0x160000";
  CHECK(fitting(decode_kernel(kernel(0x1025, 2, grown, p)), "Heap/Expand") == expand + rest);
  grown.pointer(50, p);
  CHECK(fitting(decode_kernel(kernel(0x1025, 3, grown, p)), "Heap/Expand") ==
        expand + rest + "\tAllocatedSpace=50");
  CHECK(fitting(decode_kernel(kernel(0x102A, 3, grown, p)), "Heap/Contract") ==
        "\tHeapHandle=0x150000\tDeCommittedSize=4096\tDeCommitAddress=0x160000" + rest +
            "\tAllocatedSpace=50");
  const std::pair<std::uint16_t, const char*> kinds[] = {{0x1023, "Heap/Destroy"},
                                                         {0x102B, "Heap/Lock"},
                                                         {0x102C, "Heap/Unlock"},
                                                         {0x102D, "Heap/Validate"},
                                                         {0x102E, "Heap/Walk"}};
  for (auto [hook, name] : kinds) {
    CHECK(fitting(decode_kernel(kernel(hook, 2, ByteBuilder().pointer(0x150000, p), p)), name) ==
          "\tHeapHandle=0x150000");
  }
}

TEST_CASE("layout: heaps in whole (HeapSnapShot, _ETW_HEAP_EVENT_SNAPSHOT)") {
  ByteBuilder snapshot;
  snapshot.u64(0x150000).u64(10).u64(20).u64(30).u32(2).u32(500).u64(40).u32(5).u32(6);
  const std::string second =
      "\tHeapHandle=0x150000\tFreeSpace=10\tCommittedSpace=20\tReservedSpace=30\tHeapFlags=0x2"
      "\tProcessId=500\tLargeUCRSpace=40\tFreeListLength=5\tUCRLength=6";
  CHECK(fitting(decode_kernel(kernel(0x1026, 2, snapshot)), "Heap/SnapShot") == second);
  snapshot.u64(50);
  CHECK(fitting(decode_kernel(kernel(0x1026, 3, snapshot)), "Heap/SnapShot") ==
        second + "\tAllocatedSpace=50");
  snapshot.u64(7);
  CHECK(snapshot.bytes().size() == 0x68 - 0x20);  // _ETW_HEAP_EVENT_SNAPSHOT behind its header
  CHECK(fitting(decode_kernel(kernel(0x1026, 3, snapshot)), "Heap/SnapShot") ==
        second + "\tAllocatedSpace=50\tHeapTag=7");
}

TEST_CASE("layout: inside of heaps (Heap_SubsegmentGroup, HeapCommitDecommit and so on)") {
  ByteBuilder segment;
  segment.u64(0x150000).u64(0x151000).u64(4096).u64(64);
  const std::string fields =
      "\tHeapHandle=0x150000\tSubSegment=0x151000\tSubSegmentSize=4096\tBlockSize=64";
  for (auto [hook, name] :
       {std::pair(0x102F, "Heap/SubSegmentAlloc"), std::pair(0x1032, "Heap/SubSegmentFreeCache")}) {
    CHECK(fitting(decode_kernel(kernel(static_cast<std::uint16_t>(hook), 2, segment)), name) ==
          fields);
  }
  Decoded later = decode_kernel(kernel(0x102F, 2, segment.u8(1).zeros(7)));
  CHECK(fitting(later, "Heap/SubSegmentAlloc") == fields + "\tHeapType=1");
  CHECK(later.padding_bytes == 7);
  ByteBuilder commit;
  commit.u64(0x150000).u64(0x151000).u64(4096).u32(3).u32(0);
  CHECK(fitting(decode_kernel(kernel(0x1033, 2, commit)), "Heap/Commit") ==
        "\tHeapHandle=0x150000\tBlock=0x151000\tSize=4096\tCaller=3");
  CHECK(fitting(decode_kernel(kernel(
                    0x1035, 2, ByteBuilder().u64(0x150000).u64(0x151000).u64(64).u64(63).u32(2))),
                "Heap/SubSegmentInit") ==
        "\tHeapHandle=0x150000\tSubSegment=0x151000\tBlockSize=64\tBlockCount=63"
        "\tAffinityIndex=2");
  CHECK(fitting(decode_kernel(kernel(0x1036, 2, ByteBuilder().u64(0x150000).u32(4))),
                "Heap/AffinityEnable") == "\tHeapHandle=0x150000\tBucketIndex=4");
  CHECK(fitting(decode_kernel(kernel(0x1038, 2, ByteBuilder().u64(0x150000).u64(0x151000))),
                "Heap/SubSegmentActivated") == "\tHeapHandle=0x150000\tSubSegment=0x151000");
  const ByteBuilder third = ByteBuilder().u64(0x150000).u64(0x151000).u32(4);
  CHECK(fitting(decode_kernel(kernel(0x1039, 2, third)), "Heap/AffinityAssign") ==
        "\tHeapHandle=0x150000\tSubSegment=0x151000\tSlotIndex=4");
  CHECK(fitting(decode_kernel(kernel(0x103A, 2, third)), "Heap/ReuseThresholdActivated") ==
        "\tHeapHandle=0x150000\tSubSegment=0x151000\tBucketIndex=4");
}

TEST_CASE("layout: critical sections and thread pools (CritSecCollision, TPCBEnqueue and so on)") {
  const unsigned p = GENERATE(4u, 8u);
  CHECK(fitting(decode_kernel(kernel(
                    0x1722, 2, ByteBuilder().u32(2).u32(4000).pointer(8, p).pointer(0xA0, p), p)),
                "CritSec/Collision") ==
        "\tLockCount=2\tSpinCount=4000\tOwningThread=0x8\tCritSecAddr=0xa0");
  CHECK(
      fitting(decode_kernel(kernel(0x1723, 2, ByteBuilder().pointer(4000, p).pointer(0xA0, p), p)),
              "CritSec/Initialize") == "\tSpinCount=0xfa0\tCritSecAddr=0xa0");
  ByteBuilder callback;
  for (std::uint64_t value = 1; value <= 5; ++value) callback.pointer(value, p);
  const std::string fields =
      "\tPoolId=0x1\tTaskId=0x2\tCallbackFunction=0x3\tCallbackContext=0x4\tSubProcessTag=0x5";
  CHECK(fitting(decode_kernel(kernel(0x1C20, 2, callback, p)), "ThreadPool/CBEnqueue") == fields);
  CHECK(fitting(decode_kernel(kernel(0x1C22, 2, callback, p)), "ThreadPool/CBStart") == fields);
  const ByteBuilder one = ByteBuilder().pointer(9, p);
  CHECK(fitting(decode_kernel(kernel(0x1C21, 2, one, p)), "ThreadPool/CBDequeue") ==
        "\tTaskId=0x9");
  CHECK(fitting(decode_kernel(kernel(0x1C23, 2, one, p)), "ThreadPool/CBStop") == "\tTaskId=0x9");
  CHECK(fitting(decode_kernel(kernel(0x1C26, 2, one, p)), "ThreadPool/PoolClose") ==
        "\tPoolId=0x9");
  const ByteBuilder counted = ByteBuilder().pointer(9, p).u32(3);
  CHECK(fitting(decode_kernel(kernel(0x1C24, 2, counted, p)), "ThreadPool/CBCancel") ==
        "\tTaskId=0x9\tCancelCount=3");
  CHECK(fitting(decode_kernel(kernel(0x1C28, 2, counted, p)), "ThreadPool/ThreadMaxSet") ==
        "\tPoolId=0x9\tThreadNum=3");
}

TEST_CASE("layout: failed connections and messages (TcpIp_Fail, ALPC_Wait_For_New_Message)") {
  for (auto [hook, name] : {std::pair(0x0611, "TcpIp/Fail"), std::pair(0x0811, "UdpIp/Fail")}) {
    CHECK(fitting(decode_kernel(
                      kernel(static_cast<std::uint16_t>(hook), 2, ByteBuilder().u16(2).u16(5))),
                  name) == "\tProto=2\tFailureCode=5");
  }
  CHECK(fitting(decode_kernel(kernel(0x1A24, 2, ByteBuilder().u32(1).text16("\\port"))),
                "ALPC/ALPC-Wait-For-New-Message") == "\tIsServerPort=1\tPortName=\\\\port");
}

TEST_CASE("layout: intervals, counters, interrupts (SampledProfileInterval_V3 and so on)") {
  ByteBuilder interval;
  interval.u32(0).u32(10000).u32(10000);
  const std::string second = "\tSource=0\tNewInterval=10000\tOldInterval=10000";
  CHECK(fitting(decode_kernel(kernel(0x0F49, 2, interval)), "PerfInfo/CollectionStart") == second);
  interval.text16("Timer");
  CHECK(fitting(decode_kernel(kernel(0x0F49, 3, interval)), "PerfInfo/CollectionStart") ==
        second + "\tSourceName=Timer");
  CHECK(fitting(decode_kernel(
                    kernel(0x0F30, 2, ByteBuilder().u32(2).text16("Cycles").text16("Misses"))),
                "PerfInfo/PmcCounterConfig") == "\tCounterCount=2\tCounterName=[Cycles,Misses]");
  CHECK(fitting(decode_kernel(kernel(0x0F46, 2, ByteBuilder().u64(1000).u64(0xA))),
                "PerfInfo/IOTimer") == "\tInitialTime=1000\tRoutine=0xa");
  CHECK(fitting(decode_kernel(
                    kernel(0x0F5F, 2, ByteBuilder().u64(1000).u64(0xA).u8(1).u16(0x91).u8(0))),
                "PerfInfo/ISR-PASS") ==
        "\tInitialTime=1000\tRoutine=0xa\tReturnValue=1\tVector=145\tReserved=0");
}

namespace {

ClassicRecord classic(std::string_view event_class, std::uint8_t opcode, std::uint16_t version,
                      const ByteBuilder& payload) {
  ClassicRecord record;
  record.event_class = *parse_guid(event_class);
  record.opcode = opcode;
  record.version = version;
  record.payload = payload.bytes();
  return record;
}

constexpr std::string_view kImageId = "b3e675d7-2554-4f18-830b-2762732560de";

}  // namespace

TEST_CASE("layout: what merge tools say of images (DbgPPDBTraceData, DbgDetermTraceData)") {
  ByteBuilder ppdb;
  ppdb.u64(0xFFFFF8016AA00000).u32(4).u32(0x07503E39).u16(1).u16(2);
  CHECK(fitting(decode_classic(classic(kImageId, 38, 2, ppdb)), "ImageID/DbgPPDB") ==
        "\tImageBase=0xfffff8016aa00000\tProcessId=4\tTimeDateStamp=0x7503e39\tMajorVersion=1"
        "\tMinorVersion=2");
  CHECK(fitting(decode_classic(classic(kImageId, 40, 1, ByteBuilder().u64(0x1000).u32(4))),
                "ImageID/DbgDeterm") == "\tImageBase=0x1000\tProcessId=4");
  for (std::uint8_t opcode : {std::uint8_t{34}, std::uint8_t{39}, std::uint8_t{41}}) {
    const Decoded unknown = decode_classic(classic(kImageId, opcode, 2, ByteBuilder().u64(1)));
    CHECK_FALSE(unknown.described);
    CHECK(unknown.undecoded_bytes == 8);
  }
}

TEST_CASE("layout: SysConfig/DeviceFamily as SystemConfig_V2_DeviceFamily") {
  CHECK(fitting(decode_classic(classic("9b79ee91-b5fd-41c0-a243-4248e266e9d0", 37, 0,
                                       ByteBuilder().u64(0xA00004A6101C2).u32(3).u32(0))),
                "SysConfig/DeviceFamily") ==
        "\tUAPInfo=0xa00004a6101c2\tDeviceFamily=3\tDeviceForm=0");
}

TEST_CASE("layout: an event's description shows its head (TRACE_EVENT_INFO, EVENT_MAP_INFO)") {
  constexpr std::string_view kMetaData = "bbccf6c1-6cd1-48c4-80ff-839482e37671";
  ByteBuilder info;
  info.guid(kClass).guid(kClass).u16(40).u8(3).u8(0).u8(4).u8(2).u16(1).u64(0x10).u32(0);
  info.u8(0xAB).u8(0xCD);
  const std::string tsv =
      fitting(decode_classic(classic(kMetaData, 32, 0, info)), "MetaData/EventInfo");
  CHECK(
      tsv.ends_with("\tEventId=40\tEventVersion=3\tChannel=0\tLevel=4\tOpcode=2\tTask=1"
                    "\tKeyword=0x10\tDecodingSource=0\tDescription=abcd"));
  CHECK(fitting(decode_classic(classic(kMetaData, 33, 0,
                                       ByteBuilder().guid(kClass).u32(24).u32(1).u32(0).u32(0))),
                "MetaData/EventMapInfo") ==
        "\tProviderGuid=4d36e97d-e325-11ce-bfc1-08002be10318\tNameOffset=24\tFlag=0x1"
        "\tEntryCount=0\tValueType=0\tEntries=");
}

// WinSatXmlTraceData: a state, the text's size, and the text, compressed as [MS-XCA] 2.5 says. A
// chunk that is not compressed has the header 0x3000 | (size - 1).
TEST_CASE("layout: WinSat's assessment is unpacked") {
  constexpr std::string_view kWinSat = "ed54dff8-c409-4cf6-bf83-05e1e61a09c4";
  ByteBuilder text;
  for (char c : std::string_view("<WinSPR/>")) text.u16(static_cast<unsigned char>(c));
  ByteBuilder b;
  b.u32(1).u32(18).u16(0x3000 | 17).raw(text.bytes());
  CHECK(fitting(decode_classic(classic(kWinSat, 33, 0, b)), "WinSat/WinSPR") ==
        "\tState=1\tXmlBytes=18\tXml=<WinSPR/>");
  // Damaged, cut, and more than a text could have.
  ByteBuilder wrong;
  wrong.u32(1).u32(20).u16(0x3000 | 17).raw(text.bytes());
  CHECK_FALSE(decode_classic(classic(kWinSat, 35, 0, wrong)).fits);
  CHECK_FALSE(decode_classic(classic(kWinSat, 35, 0, ByteBuilder().u32(1))).fits);
  CHECK_FALSE(decode_classic(classic(kWinSat, 35, 0, ByteBuilder().u32(1).u32(0xFFFFFFFF))).fits);
}

TEST_CASE(
    "every byte is accounted for: used, padding, left over, and every field: there, missing") {
  ByteBuilder b;
  b.u64(0xFF).u16(1).u16(0).u32(10).u32(3).text16("PCI").u8(1).u8(2);
  Decoded more = decode_kernel(kernel(0x0B15, 3, b));
  CHECK(more.undecoded_bytes == 2);
  CHECK(more.complete);
  CHECK_FALSE(more.fits);
  Decoded less = decode_kernel(kernel(0x0B15, 3, ByteBuilder().u64(0xFF).u16(1).u16(0).u32(10)));
  CHECK(less.missing_fields == 2);
  CHECK(less.complete);
  CHECK_FALSE(less.fits);
  Decoded cut = decode_kernel(kernel(0x0B15, 3, ByteBuilder().u64(0xFF).u8(1)));
  CHECK_FALSE(cut.complete);
  CHECK(cut.undecoded_bytes == 1);
}

TEST_CASE("a layout of another version says so") {
  const ByteBuilder sixth = ByteBuilder().guid(kClass).u32(0).u32(0).u32(0).u32(0);
  CHECK(decode_kernel(kernel(0x0B16, 6, sixth)).other_version == 5);
  CHECK(decode_kernel(kernel(0x0B16, 1, sixth)).other_version == 2);
  CHECK_FALSE(decode_kernel(kernel(0x0400, 3, ByteBuilder().u64(1).text16("f"))).other_version);
  CHECK(decode_kernel(kernel(0x0400, 4, ByteBuilder().u64(1).text16("f"))).other_version == 3);
  CHECK(decode_classic(classic(kImageId, 38, 3, ByteBuilder())).other_version == 2);
}
