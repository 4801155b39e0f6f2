// Forced in ahead of the C of every package with cgo, for gotch v0.9.1: it takes the
// place of an operation's results by malloc(0), has up to seven pointers written
// there, reads them at once, and never frees it. Here malloc(0) gives one of a few
// cells of the thread in turn, which are never freed and large enough.
//
// A cell is not taken again while it is in use: the goroutine of an operation stays
// on its thread until it has read the results, so that no other operation runs there
// meanwhile. gotch's errors, one a thread, need the same.
#if !defined(SENTWEAVE_CELLS_H) && !defined(__ASSEMBLER__)
#define SENTWEAVE_CELLS_H
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

enum { SENTWEAVE_THREADS = 4096, SENTWEAVE_CELLS = 8, SENTWEAVE_RESULTS = 8 };
typedef void *sentweave_cell[SENTWEAVE_RESULTS];

// One for the whole program. The memory of a thread that does nothing here is never touched.
__attribute__((common)) sentweave_cell sentweave_cells[SENTWEAVE_THREADS][SENTWEAVE_CELLS];
__attribute__((common)) atomic_uint sentweave_cell_threads;

static inline void *sentweave_malloc(size_t size) {
  static _Thread_local unsigned thread, turn; // thread counts from 1
  if (size > 0) return malloc(size);
  if (thread == 0) thread = atomic_fetch_add(&sentweave_cell_threads, 1) + 1;
  if (thread > SENTWEAVE_THREADS) return malloc(sizeof(sentweave_cell)); // and leaks
  return sentweave_cells[thread - 1][turn++ % SENTWEAVE_CELLS];
}

static inline void sentweave_free(void *p) {
  if ((uintptr_t)p - (uintptr_t)sentweave_cells >= sizeof sentweave_cells) free(p);
}

#define malloc sentweave_malloc
#define free sentweave_free
#endif
