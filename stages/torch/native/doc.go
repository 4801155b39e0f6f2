// Package native binds what gotch lacks of libtorch, and keeps tensors: a Scope owns those of a piece of work. Only this
// package knows C, and its callers are the rooms of stages/torch alone.
//
// Tensors are of the device that Use chose, for the whole process. Every operation is one call of C, which takes some
// microseconds. So what is called once for each layer, such as attention, is one operation, and lists of tensors are
// Pointers that are made once.
//
// gotch frees a tensor in a finalizer, possibly while C++ still uses it. So every tensor here belongs to a scope or to
// a model, which drops it when it is no longer needed.
package native
