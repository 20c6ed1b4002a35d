#include "harness/explain/kernel_points.h"

#include <array>

namespace tailgate::activity {
namespace {

using enum Cause;
using enum PointMarks;

// What each tracepoint marks follows from where the kernel's functions emit it: mm/page_alloc.c,
// mm/vmscan.c, mm/filemap.c, fs/ext4, fs/jbd2, fs/xfs, fs/btrfs, fs/fs-writeback.c,
// block/blk-core.c, net/core, kernel/locking, io_uring of Linux 6.18.
//
// Rows are for what a usual logging call does not pass. A tracepoint that every call passes
// (ext4_da_write_begin, sk_data_ready …) costs every call a record and names little.
constexpr KernelPointRow kPoints[] = {
    // Memory. The processor's list of free pages is refilled from the zone: a record a page.
    {"kmem/mm_page_alloc_zone_locked", page_refill, step},
    {"kmem/mm_page_alloc_extfrag", page_refill, step},
    {"kmem/mm_page_pcpu_drain", page_refill, step},
    {"kmem/mm_page_alloc", new_page, step},
    {"vmscan/mm_vmscan_direct_reclaim_begin", reclaim, begin},
    {"vmscan/mm_vmscan_direct_reclaim_end", reclaim, end},
    {"vmscan/mm_vmscan_memcg_reclaim_begin", reclaim, begin},
    {"vmscan/mm_vmscan_memcg_reclaim_end", reclaim, end},
    {"vmscan/mm_vmscan_node_reclaim_begin", reclaim, begin},
    {"vmscan/mm_vmscan_node_reclaim_end", reclaim, end},
    {"vmscan/mm_vmscan_wakeup_kswapd", reclaim, step},
    {"compaction/mm_compaction_begin", reclaim, begin},
    {"compaction/mm_compaction_end", reclaim, end},
    // The page cache. shmem (tmpfs) adds its pages without a record of its own.
    {"filemap/mm_filemap_add_to_page_cache", page_cache, step},
    // The processor's batch of new pages moves to the lists of pages: a record a page.
    {"pagemap/mm_lru_insertion", page_cache, step},
    {"filemap/mm_filemap_fault", page_cache, step},
    {"filemap/mm_filemap_map_pages", page_cache, step},
    // ext4: delayed allocation, the tree of extent states, blocks.
    {"ext4/ext4_es_lookup_extent_enter", fs_allocation, step},
    {"ext4/ext4_ext_map_blocks_enter", fs_allocation, begin},
    {"ext4/ext4_ext_map_blocks_exit", fs_allocation, end},
    {"ext4/ext4_ind_map_blocks_enter", fs_allocation, begin},
    {"ext4/ext4_ind_map_blocks_exit", fs_allocation, end},
    {"ext4/ext4_da_reserve_space", fs_allocation, step},
    {"ext4/ext4_es_insert_extent", fs_allocation, step},
    {"ext4/ext4_es_insert_delayed_block", fs_allocation, step},
    {"ext4/ext4_es_insert_delayed_extent", fs_allocation, step},
    {"ext4/ext4_request_blocks", fs_allocation, step},
    {"ext4/ext4_allocate_blocks", fs_allocation, step},
    {"ext4/ext4_mballoc_alloc", fs_allocation, step},
    {"ext4/ext4_mb_bitmap_load", fs_allocation, step},
    {"ext4/ext4_mb_buddy_bitmap_load", fs_allocation, step},
    {"ext4/ext4_read_block_bitmap_load", fs_allocation, step},
    {"ext4/ext4_request_inode", fs_allocation, step},
    {"ext4/ext4_allocate_inode", fs_allocation, step},
    {"ext4/ext4_fallocate_enter", fs_allocation, begin},
    {"ext4/ext4_fallocate_exit", fs_allocation, end},
    {"ext4/ext4_truncate_enter", fs_allocation, begin},
    {"ext4/ext4_truncate_exit", fs_allocation, end},
    // Pages and inodes become dirty, in every file system.
    {"writeback/writeback_dirty_folio", fs_dirty, step},
    {"writeback/writeback_dirty_page", fs_dirty, step},
    {"writeback/writeback_mark_inode_dirty", fs_dirty, step},
    {"writeback/writeback_dirty_inode_start", fs_dirty, begin},
    {"writeback/writeback_dirty_inode", fs_dirty, end},
    {"ext4/ext4_mark_inode_dirty", fs_dirty, step},
    {"xfs/xfs_update_time", fs_dirty, step},
    // Writing back what is dirty, or waiting because there is too much of it.
    {"writeback/global_dirty_state", fs_writeback, step},
    {"writeback/balance_dirty_pages", fs_writeback, step},
    {"writeback/folio_wait_writeback", fs_writeback, step},
    {"ext4/ext4_writepages", fs_writeback, begin},
    {"ext4/ext4_writepages_result", fs_writeback, end},
    // Journals and logs.
    {"ext4/ext4_journal_start", fs_journal, step},
    {"ext4/ext4_journal_start_inode", fs_journal, step},
    {"ext4/ext4_journal_start_sb", fs_journal, step},
    {"ext4/ext4_journal_start_reserved", fs_journal, step},
    {"ext4/ext4_sync_file_enter", fs_journal, begin},
    {"ext4/ext4_sync_file_exit", fs_journal, end},
    {"ext4/ext4_fc_commit_start", fs_journal, begin},
    {"ext4/ext4_fc_commit_stop", fs_journal, end},
    {"jbd2/jbd2_handle_start", fs_journal, begin},
    {"jbd2/jbd2_handle_stats", fs_journal, end},
    {"jbd2/jbd2_handle_extend", fs_journal, step},
    {"jbd2/jbd2_handle_restart", fs_journal, step},
    {"jbd2/jbd2_checkpoint", fs_journal, step},
    {"jbd2/jbd2_lock_buffer_stall", fs_journal, step},
    {"xfs/xfs_trans_alloc", fs_journal, step},
    {"xfs/xfs_trans_commit", fs_journal, step},
    {"xfs/xfs_log_reserve", fs_journal, begin},
    {"xfs/xfs_log_reserve_exit", fs_journal, end},
    {"xfs/xfs_log_force", fs_journal, step},
    {"xfs/xfs_file_fsync", fs_journal, step},
    {"btrfs/btrfs_transaction_commit", fs_journal, step},
    {"btrfs/btrfs_sync_file", fs_journal, step},
    // xfs and btrfs: space and extents.
    {"xfs/xfs_iomap_alloc", fs_allocation, step},
    {"xfs/xfs_iomap_prealloc_size", fs_allocation, step},
    {"xfs/xfs_alloc_file_space", fs_allocation, step},
    {"btrfs/btrfs_space_reservation", fs_allocation, step},
    {"btrfs/btrfs_reserve_extent", fs_allocation, step},
    {"btrfs/btrfs_find_free_extent", fs_allocation, step},
    {"btrfs/btrfs_flush_space", fs_allocation, step},
    {"btrfs/btrfs_cow_block", fs_allocation, step},
    // Requests to storage, made by the call itself.
    {"block/block_bio_queue", block_layer, step},
    {"block/block_getrq", block_layer, step},
    {"block/block_io_start", block_layer, step},
    {"block/block_unplug", block_layer, step},
    // Sockets that take no more. unix sockets have no record of their own: a full one blocks.
    {"sock/sock_rcvqueue_full", socket, step},
    {"sock/sock_exceed_buf_limit", socket, step},
    {"skb/kfree_skb", socket, step},
    // Only contended locks are recorded.
    {"lock/contention_begin", lock, begin},
    {"lock/contention_end", lock, end},
    // Another processor is interrupted, usually to run a thread that was woken.
    {"ipi/ipi_send_cpu", wake_up, step},
    {"ipi/ipi_send_cpumask", wake_up, step},
    {"io_uring/io_uring_submit_req", io_uring, step},
    {"io_uring/io_uring_submit_sqe", io_uring, step},
    {"io_uring/io_uring_queue_async_work", io_uring, step},
    {"io_uring/io_uring_task_work_run", io_uring, step},
    {"io_uring/io_uring_local_work_run", io_uring, step},
    {"io_uring/io_uring_cqring_wait", io_uring, step},
    {"io_uring/io_uring_cqe_overflow", io_uring, step},
};

}  // namespace

std::span<const KernelPointRow> kernel_points() {
  return kPoints;
}

}  // namespace tailgate::activity
