#include "go_asm.h"
#include "textflag.h"

// The rows of a group stand in SI, R8 to R13 and DI; AX is the place in them, in bytes.
#define ROWS \
	MOVQ bundle_rows+0(DX), SI    \
	MOVQ bundle_rows+24(DX), DI   \
	MOVQ bundle_rows+48(DX), R8   \
	MOVQ bundle_rows+72(DX), R9   \
	MOVQ bundle_rows+96(DX), R10  \
	MOVQ bundle_rows+120(DX), R11 \
	MOVQ bundle_rows+144(DX), R12 \
	MOVQ bundle_rows+168(DX), R13 \
	XORQ AX, AX                  \
	SHRQ $3, CX

#define MULTIPLY(row, sum) \
	VMULPS (row)(AX*1), Y8, Y9 \
	VADDPS Y9, sum, sum

#define ADD(row, factor) \
	VMULPS (row)(AX*1), factor, Y9 \
	VADDPS Y9, Y8, Y8

// func multiplyAVX(b *bundle, vector []float32)
TEXT ·multiplyAVX(SB), NOSPLIT, $0-32
	MOVQ b+0(FP), DX
	MOVQ vector_base+8(FP), BX
	MOVQ vector_len+16(FP), CX
	ROWS
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1
	VXORPS Y2, Y2, Y2
	VXORPS Y3, Y3, Y3
	VXORPS Y4, Y4, Y4
	VXORPS Y5, Y5, Y5
	VXORPS Y6, Y6, Y6
	VXORPS Y7, Y7, Y7
	JZ     multiplied

multiply:
	VMOVUPS (BX)(AX*1), Y8
	MULTIPLY(SI, Y0)
	MULTIPLY(DI, Y1)
	MULTIPLY(R8, Y2)
	MULTIPLY(R9, Y3)
	MULTIPLY(R10, Y4)
	MULTIPLY(R11, Y5)
	MULTIPLY(R12, Y6)
	MULTIPLY(R13, Y7)
	ADDQ $32, AX
	DECQ CX
	JNZ  multiply

multiplied:
	VMOVUPS Y0, bundle_lanes+0(DX)
	VMOVUPS Y1, bundle_lanes+32(DX)
	VMOVUPS Y2, bundle_lanes+64(DX)
	VMOVUPS Y3, bundle_lanes+96(DX)
	VMOVUPS Y4, bundle_lanes+128(DX)
	VMOVUPS Y5, bundle_lanes+160(DX)
	VMOVUPS Y6, bundle_lanes+192(DX)
	VMOVUPS Y7, bundle_lanes+224(DX)
	VZEROUPPER
	RET

// func addAVX(b *bundle, vector []float32)
TEXT ·addAVX(SB), NOSPLIT, $0-32
	MOVQ b+0(FP), DX
	MOVQ vector_base+8(FP), BX
	MOVQ vector_len+16(FP), CX
	ROWS
	JZ   added
	VBROADCASTSS bundle_factors+0(DX), Y0
	VBROADCASTSS bundle_factors+4(DX), Y1
	VBROADCASTSS bundle_factors+8(DX), Y2
	VBROADCASTSS bundle_factors+12(DX), Y3
	VBROADCASTSS bundle_factors+16(DX), Y4
	VBROADCASTSS bundle_factors+20(DX), Y5
	VBROADCASTSS bundle_factors+24(DX), Y6
	VBROADCASTSS bundle_factors+28(DX), Y7

add:
	VMOVUPS (BX)(AX*1), Y8
	ADD(SI, Y0)
	ADD(DI, Y1)
	ADD(R8, Y2)
	ADD(R9, Y3)
	ADD(R10, Y4)
	ADD(R11, Y5)
	ADD(R12, Y6)
	ADD(R13, Y7)
	VMOVUPS Y8, (BX)(AX*1)
	ADDQ $32, AX
	DECQ CX
	JNZ  add

added:
	VZEROUPPER
	RET
