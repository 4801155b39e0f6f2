// Package losses has the loss of each objective of stages/objective on libtorch, in the same order: which parameters it has
// beside the encoder, and how a batch gives a number. Batches are checked before libtorch sees them, since libtorch would
// name neither the sequence nor the number.
package losses
