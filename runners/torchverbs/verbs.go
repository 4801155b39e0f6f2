package torchverbs

import "sentweave/pipelines/verb"

// Verbs are those that compute on libtorch, in the order of help. Both programs have them.
var Verbs = []verb.Verb{InitVerb, TrainVerb, StatesVerb, ReplaceVerb, PrefixVerb, EmbedVerb}
