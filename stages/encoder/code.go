package encoder

// InCode says whether a number of a lens's vector is a 1 of its sparse code, of which some 2.5 % are:
// whether it is above 1 (Kiros 2020, section 4.3).
func InCode(x float32) bool { return x > 1 }
