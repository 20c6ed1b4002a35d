#include "harness/etl/provider_names.h"

#include <unordered_map>

namespace tailgate::etl {
namespace {

struct ProviderRow {
  std::string_view guid;
  std::string_view name;
};

// In order of the names.
constexpr ProviderRow kProviders[] = {
    {"eef54e71-0661-422d-9a98-82fd4940b820", "Microsoft-Windows-Application-Experience"},
    {"f1ef270a-0d32-4352-ba52-dbab41e1d859", "Microsoft-Windows-AppModel-Runtime"},
    {"ae4bd3be-f36f-45b6-8d21-bdd6fb832853", "Microsoft-Windows-Audio"},
    {"ef1cc15b-46c1-414e-bb95-e76b077bd51e", "Microsoft-Windows-Bits-Client"},
    {"5bbca4a8-b209-48dc-a8c7-b23d3e5216fb", "Microsoft-Windows-CAPI2"},
    {"4ee76bd8-3cf4-44a0-a0ac-3937643e37a3", "Microsoft-Windows-CodeIntegrity"},
    {"d4263c98-310c-4d97-ba39-b55354f08584", "Microsoft-Windows-COM"},
    {"b8d6861b-d20f-4eec-bbae-87e0dd80602b", "Microsoft-Windows-COM-Perf"},
    {"bf406804-6afa-46e7-8a48-6c357e1d6d61", "Microsoft-Windows-COMRuntime"},
    {"c7e089ac-ba2a-11e0-9af7-68384824019b", "Microsoft-Windows-Crypto-BCrypt"},
    {"e3e0e2f0-c9c5-11e0-8ab9-9ebc4824019b", "Microsoft-Windows-Crypto-CNG"},
    {"89fe8f40-cdce-464e-8217-15ef97d4c7c3", "Microsoft-Windows-Crypto-DPAPI"},
    {"e8ed09dc-100c-45e2-9fc8-b53399ec1f70", "Microsoft-Windows-Crypto-NCrypt"},
    {"783aca0a-790e-4d7f-8451-aa850511c6b9", "Microsoft-Windows-D3D9"},
    {"15a7a4f8-0072-4eab-abad-f98a4d666aed", "Microsoft-Windows-Dhcp-Client"},
    {"6a1f2b00-6a90-4c38-95a5-5cab3b056778", "Microsoft-Windows-DHCPv6-Client"},
    {"9b7e4c0f-342c-4106-a19f-4f2704f689f0", "Microsoft-Windows-Direct3D10"},
    {"db6f6ddb-ac77-4e88-8253-819df9bbf140", "Microsoft-Windows-Direct3D11"},
    {"6b4db0bc-9a3d-467d-81b9-a84c6f2f3d40", "Microsoft-Windows-Disk"},
    {"1c95126e-7eea-49a9-a3fe-a378b03ddb4d", "Microsoft-Windows-DNS-Client"},
    {"e13c0d23-ccbc-4e12-931b-d9cc2eee27e4", "Microsoft-Windows-DotNETRuntime"},
    {"763fd754-7086-4dfe-95eb-c01a46faf4ca", "Microsoft-Windows-DotNETRuntimePrivate"},
    {"a669021c-c450-4609-a035-5af59af4df18", "Microsoft-Windows-DotNETRuntimeRundown"},
    {"cc2bcbba-16b6-4cf3-8990-d74c2e8af500", "Microsoft-Windows-DotNETRuntimeStress"},
    {"486a5c7c-11cc-46c5-9de7-43dfe0bb57c1",
     "Microsoft-Windows-DriverFrameworks-KernelMode-Performance"},
    {"2e35aaeb-857f-4beb-a418-2e6c0e54d988", "Microsoft-Windows-DriverFrameworks-UserMode"},
    {"9fa5dd5d-999e-466a-8ca9-7b3a66f8882f",
     "Microsoft-Windows-DriverFrameworks-UserMode-Performance"},
    {"ca11c036-0102-4a2d-a6ad-f03cfed5d3c9", "Microsoft-Windows-DXGI"},
    {"802ec45a-1e99-4b83-9920-87c98277ba9d", "Microsoft-Windows-DxgKrnl"},
    {"fc65ddd8-d6ef-4962-83d5-6e5cfe9ce148", "Microsoft-Windows-Eventlog"},
    {"a319d300-015c-48be-acdb-47746e154751", "Microsoft-Windows-FileInfoMinifilter"},
    {"f3c5e28e-63f6-49c7-a204-e48a1bc4b09d", "Microsoft-Windows-FilterManager"},
    {"dd5ef90a-6398-47a4-ad34-4dcecdef795f", "Microsoft-Windows-HttpService"},
    {"52fc89f8-995e-434c-a91e-199986449890", "Microsoft-Windows-Hyper-V-Hypervisor"},
    {"152fbe4b-c7ad-4f68-bada-a4fcc1464f6c", "Microsoft-Windows-Hyper-V-NetVsc"},
    {"5931d877-4860-4ee7-a95c-610a5f0d1407", "Microsoft-Windows-Hyper-V-VID"},
    {"67dc0d66-3695-47c0-9642-33f76f7bd7ad", "Microsoft-Windows-Hyper-V-VmSwitch"},
    {"c514638f-7723-485b-bcfc-96565d735d4a", "Microsoft-Windows-Kernel-Acpi"},
    {"e02a841c-75a3-4fa7-afc8-ae09cf9b7f23", "Microsoft-Windows-Kernel-Audit-API-Calls"},
    {"15ca44ff-4d7a-4baa-bba5-0998955e531e", "Microsoft-Windows-Kernel-Boot"},
    {"c7bde69a-e1e0-4177-b6ef-283ad1525271", "Microsoft-Windows-Kernel-Disk"},
    {"b675ec37-bdb6-4648-bc92-f3fdc74d3ca2", "Microsoft-Windows-Kernel-EventTracing"},
    {"edd08927-9cc4-4e65-b970-c2560fb5c289", "Microsoft-Windows-Kernel-File"},
    {"951b41ea-c830-44dc-a671-e2c9958809b8", "Microsoft-Windows-Kernel-Interrupt-Steering"},
    {"abf1f586-2e50-4ba8-928d-49044e6f0db7", "Microsoft-Windows-Kernel-IO"},
    {"bef2aa8e-81cd-11e2-a7bb-5eac6188709b", "Microsoft-Windows-Kernel-LiveDump"},
    {"d1d93ef7-e1f2-4f45-9943-03d245fe6c00", "Microsoft-Windows-Kernel-Memory"},
    {"7dd42a49-5329-4832-8dfd-43d979153a88", "Microsoft-Windows-Kernel-Network"},
    {"9c205a39-1250-487d-abd7-e831c6290539", "Microsoft-Windows-Kernel-PnP"},
    {"331c3b3a-2005-44c2-ac5e-77220c37d6b4", "Microsoft-Windows-Kernel-Power"},
    {"5322d61a-9efa-4bc3-a3f9-14be95c144f8", "Microsoft-Windows-Kernel-Prefetch"},
    {"22fb2cd6-0e7b-422b-a0c7-2fad1fd0e716", "Microsoft-Windows-Kernel-Process"},
    {"0f67e49f-fe51-4e9f-b490-6f2948cc6027", "Microsoft-Windows-Kernel-Processor-Power"},
    {"70eb4f03-c1de-4f73-a051-33d13d5413bd", "Microsoft-Windows-Kernel-Registry"},
    {"0bf2fb94-7b60-4b4d-9766-e82f658df540", "Microsoft-Windows-Kernel-ShimEngine"},
    {"a6ad76e3-867a-4635-91b3-4904ba6374d7", "Microsoft-Windows-Kernel-StoreMgr"},
    {"4cec9c95-a65f-4591-b5c4-30100e51d870", "Microsoft-Windows-Kernel-Tm"},
    {"7b563579-53c8-44e7-8236-0f87b9fe6594", "Microsoft-Windows-Kernel-WHEA"},
    {"099614a5-5dd7-4788-8bc9-e29f43db28fc", "Microsoft-Windows-LDAP-Client"},
    {"f404b94e-27e0-4384-bfe8-1d8d390b0aa3", "Microsoft-Windows-MediaFoundation-Performance"},
    {"b20e65ac-c905-4014-8f78-1b6a508142eb", "Microsoft-Windows-MediaFoundation-Performance-Core"},
    {"bc97b970-d001-482f-8745-b8d7d5759f99", "Microsoft-Windows-MediaFoundation-Platform"},
    {"a7364e1a-894f-4b3d-a930-2ed9c8c4c811", "Microsoft-Windows-MF"},
    {"719be4ed-e9bc-4dd8-a7cf-c85ce8e4975d", "Microsoft-Windows-MSDTC"},
    {"314de49f-ce63-4779-ba2b-d616f6963a88", "Microsoft-Windows-NCSI"},
    {"cdead503-17f5-4a3e-b7ae-df8cc2902eb9", "Microsoft-Windows-NDIS"},
    {"2ed6006e-4729-4609-b423-3ee7bcd678ef", "Microsoft-Windows-NDIS-PacketCapture"},
    {"fbcfac3f-8459-419f-8e48-1f0b49cdb85e", "Microsoft-Windows-NetworkProfile"},
    {"412bdff2-a8c4-470d-8f33-63fe0d8c20e2", "Microsoft-Windows-Partition"},
    {"f82fb576-e941-4956-a2c7-a0cf83f6450a", "Microsoft-Windows-PerfOS"},
    {"4d4f80d9-c8bd-4d73-bb5b-19c90402c5ac", "Microsoft-Windows-PktMon"},
    {"a0c1853b-5c40-4b15-8766-3cf1c58f985a", "Microsoft-Windows-PowerShell"},
    {"d49918cf-9489-4bf1-9d7b-014d864cf71f", "Microsoft-Windows-ProcessStateManager"},
    {"e6307a09-292c-497e-aad6-498f68e2b619", "Microsoft-Windows-ReadyBoost"},
    {"6ad52b32-d609-4be9-ae07-ce8dae937e39", "Microsoft-Windows-RPC"},
    {"91cc1150-71aa-47e2-ae18-c96e61736b6f", "Microsoft-Windows-Schannel-Events"},
    {"ca4e628d-8567-4896-ab6b-835b221f373f", "Microsoft-Windows-Search"},
    {"54849625-5478-4994-a5ba-3e3b0328c30d", "Microsoft-Windows-Security-Auditing"},
    {"0063715b-eeda-4007-9429-ad526f62696e", "Microsoft-Windows-Services"},
    {"30336ed4-e327-447c-9de0-51b652c86108", "Microsoft-Windows-Shell-Core"},
    {"988c59c5-0a1c-45b6-a555-0c62276e327d", "Microsoft-Windows-SMBClient"},
    {"d48ce617-33a2-4bc3-a5c7-11aa4f29619e", "Microsoft-Windows-SMBServer"},
    {"c4636a1e-7986-4646-bf10-7bc3b4a76e8e", "Microsoft-Windows-StorPort"},
    {"99806515-9f51-4c2f-b918-1eae407aa8cb", "Microsoft-Windows-Superfetch"},
    {"de7b24ea-73c8-4a09-985d-5bdadcfa9017", "Microsoft-Windows-TaskScheduler"},
    {"2f07e2ee-15db-40f1-90ef-9d7ba282188a", "Microsoft-Windows-TCPIP"},
    {"5d896912-022d-40aa-a3a8-4fa5515c76d7",
     "Microsoft-Windows-TerminalServices-LocalSessionManager"},
    {"c76baa63-ae81-421c-b425-340b4b24157f",
     "Microsoft-Windows-TerminalServices-RemoteConnectionManager"},
    {"f4e1897c-bb5d-5668-f1d8-040f4d8dd344", "Microsoft-Windows-Threat-Intelligence"},
    {"06edcfeb-0fd0-4e53-acca-a6f8bbf81bcb", "Microsoft-Windows-Time-Service"},
    {"245f975d-909d-49ed-b8f9-9a75691d6b6b", "Microsoft-Windows-URLMon"},
    {"7426a56b-e2d5-4b30-bdef-b31815c1a74a", "Microsoft-Windows-USB-USBHUB"},
    {"96f4a050-7e31-453c-88be-9634f4e02139", "Microsoft-Windows-UserPnp"},
    {"67fe2216-727a-40cb-94b2-c02211edb34a", "Microsoft-Windows-VolumeSnapshot-Driver"},
    {"50b3e73c-9370-461d-bb9f-26f32d68887d", "Microsoft-Windows-WebIO"},
    {"ad8aa069-a01b-40a0-ba40-948d1d8dedc5", "Microsoft-Windows-WER-Diag"},
    {"abce23e7-de45-4366-8631-84fa6c525952", "Microsoft-Windows-WER-SystemErrorReporting"},
    {"0c478c5b-0351-41b1-8c58-4a6737da32e3", "Microsoft-Windows-WFP"},
    {"8c416c79-d49b-4f01-a467-e56d3aa8234c", "Microsoft-Windows-Win32k"},
    {"11cd958a-c507-4ef3-b3f2-5fd9dfbd2c78", "Microsoft-Windows-Windows Defender"},
    {"945a8954-c147-4acd-923f-40c45405a658", "Microsoft-Windows-WindowsUpdateClient"},
    {"7d44233d-3055-4b9c-ba64-0d47ca40a232", "Microsoft-Windows-WinHttp"},
    {"43d1a55c-76d6-4f7e-995c-64c711e5cafe", "Microsoft-Windows-WinINet"},
    {"206f6dea-d3c5-4d10-bc72-989f03c8b84b", "Microsoft-Windows-Wininit"},
    {"dbe9b383-7cf3-4331-91cc-a3cb16a3b538", "Microsoft-Windows-Winlogon"},
    {"66c07ecd-6667-43fc-93f8-05cf07f446ec", "Microsoft-Windows-WinNat"},
    {"a7975c8f-ac13-49f1-87da-5a984a4ab417", "Microsoft-Windows-WinRM"},
    {"e53c6823-7bb8-44bb-90dc-3f86090d48a6", "Microsoft-Windows-Winsock-AFD"},
    {"9580d7dd-0379-4658-9870-d5be7d52d6de", "Microsoft-Windows-WLAN-AutoConfig"},
    {"1edeee53-0afe-4609-b846-d8c0b2075b1f", "Microsoft-Windows-WMI"},
    {"1418ef04-b0b4-4623-bf7e-d74ab47bbdaa", "Microsoft-Windows-WMI-Activity"},
    {"531a35ab-63ce-4bcf-aa98-f88c7a89e455", "Microsoft-Windows-XAML"},
    {"8e9f5090-2d75-4d03-8a81-e5afbf85daf1", "System.Diagnostics.Eventing.FrameworkEventSource"},
    {"2e5dba47-a3d2-4d16-8ee0-6671ffdcd7b5", "System.Threading.Tasks.TplEventSource"},
};

using NamesByGuid = std::unordered_map<Guid, std::string_view, GuidHash>;

const NamesByGuid& names() {
  static const NamesByGuid the_names = [] {
    NamesByGuid built;
    for (const ProviderRow& row : kProviders) built[*parse_guid(row.guid)] = row.name;
    return built;
  }();
  return the_names;
}

}  // namespace

std::string_view known_provider_name(const Guid& provider) {
  auto at = names().find(provider);
  return at == names().end() ? std::string_view() : at->second;
}

}  // namespace tailgate::etl
