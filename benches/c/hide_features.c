/* Hides vector instructions from a program on x86-64, so that a library that picks its code at run time can be measured as it runs on an
 * older processor. Load it with LD_PRELOAD and name what to hide in HIDE_FEATURES: `vnni`, `avx512`, or both with a comma.
 *
 * Linux can have the CPUID instruction fault. The handler below runs it all the same, and takes the bits away. */

#define _GNU_SOURCE
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#define ARCH_SET_CPUID 0x1012
#define BIT(number) (1u << (number))

static int hides_vnni, hides_avx512;

static void answer(greg_t *registers) {
    unsigned leaf = registers[REG_RAX], part = registers[REG_RCX];
    unsigned a = leaf, b, c = part, d;
    syscall(SYS_arch_prctl, ARCH_SET_CPUID, 1);
    __asm__ volatile("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
    syscall(SYS_arch_prctl, ARCH_SET_CPUID, 0);
    if (leaf == 7 && part == 0 && hides_vnni) {
        c &= ~BIT(11);                             /* AVX-512 VNNI */
        d &= ~(BIT(22) | BIT(24) | BIT(25));       /* AMX */
    }
    if (leaf == 7 && part == 0 && hides_avx512) {
        b &= ~(BIT(16) | BIT(17) | BIT(21) | BIT(26) | BIT(27) | BIT(28) | BIT(30) | BIT(31));
        c &= ~(BIT(1) | BIT(6) | BIT(11) | BIT(12) | BIT(14));
        d &= ~(BIT(2) | BIT(3) | BIT(8) | BIT(22) | BIT(23) | BIT(24) | BIT(25));
    }
    if (leaf == 7 && part == 1 && hides_vnni) {
        a &= ~BIT(4);                              /* AVX-VNNI */
        d &= ~(BIT(4) | BIT(10));                  /* its later kinds */
    }
    if (leaf == 7 && part == 1 && hides_avx512)
        a &= ~BIT(5);                              /* BF16 */
    registers[REG_RAX] = a;
    registers[REG_RBX] = b;
    registers[REG_RCX] = c;
    registers[REG_RDX] = d;
    registers[REG_RIP] += 2;
}

static void on_fault(int number, siginfo_t *info, void *context) {
    greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
    const unsigned char *instruction = (const unsigned char *)registers[REG_RIP];
    (void)info;
    if (instruction[0] == 0x0F && instruction[1] == 0xA2)
        answer(registers);
    else
        signal(number, SIG_DFL);
}

__attribute__((constructor)) static void start(void) {
    const char *hidden = getenv("HIDE_FEATURES");
    struct sigaction action;
    if (!hidden)
        return;
    hides_vnni = strstr(hidden, "vnni") != NULL;
    hides_avx512 = strstr(hidden, "avx512") != NULL;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = on_fault;
    action.sa_flags = SA_SIGINFO | SA_NODEFER;
    sigaction(SIGSEGV, &action, NULL);
    if (syscall(SYS_arch_prctl, ARCH_SET_CPUID, 0) != 0)
        _exit(70);
}
