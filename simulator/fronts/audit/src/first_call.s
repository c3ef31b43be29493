.pushsection .text
.hidden front_audit_first_call
.globl front_audit_first_call
.type front_audit_first_call, @function
front_audit_first_call:
push rdi
push rsi
push rdx
push rcx
push r8
push r9
push rax
sub rsp, 128
movups [rsp], xmm0
movups [rsp + 16], xmm1
movups [rsp + 32], xmm2
movups [rsp + 48], xmm3
movups [rsp + 64], xmm4
movups [rsp + 80], xmm5
movups [rsp + 96], xmm6
movups [rsp + 112], xmm7
mov rdi, r11
call {resolve}
mov r11, rax
movups xmm0, [rsp]
movups xmm1, [rsp + 16]
movups xmm2, [rsp + 32]
movups xmm3, [rsp + 48]
movups xmm4, [rsp + 64]
movups xmm5, [rsp + 80]
movups xmm6, [rsp + 96]
movups xmm7, [rsp + 112]
add rsp, 128
pop rax
pop r9
pop r8
pop rcx
pop rdx
pop rsi
pop rdi
jmp r11
.size front_audit_first_call, . - front_audit_first_call
.popsection
