/* A TestU01 battery on 32-bit words read from standard input: battery small|crush|big NAME [TEST...]
 *
 * Prints TestU01's own summary and the p-value of every statistic. With test numbers, only those tests of the battery are run. A stream that ends too
 * soon is exit code 3. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <testu01/bbattery.h>
#include <testu01/swrite.h>
#include <testu01/unif01.h>

enum { WORDS = 1 << 16, MOST_TESTS = 200 };

static uint32_t buffer[WORDS];
static size_t have, next;
static unsigned long long taken;

static unsigned int word(void)
{
    if (next == have) {
        have = fread(buffer, sizeof buffer[0], WORDS, stdin);
        next = 0;
        if (have == 0) {
            fprintf(stderr, "the stream ended after %llu words\n", taken);
            exit(3);
        }
    }
    taken++;
    return buffer[next++];
}

int main(int argc, char **argv)
{
    if (argc < 3 || argc > MOST_TESTS) {
        fprintf(stderr, "usage: %s small|crush|big NAME [TEST...]\n", argv[0]);
        return 2;
    }
    unif01_Gen *gen = unif01_CreateExternGenBits(argv[2], word);
    int repeat[MOST_TESTS] = {0};
    for (int i = 3; i < argc; i++) {
        int test = atoi(argv[i]);
        if (test > 0 && test < MOST_TESTS) repeat[test] = 1;
    }
    int some = argc > 3;
    swrite_Basic = FALSE;
    if (!strcmp(argv[1], "small")) some ? bbattery_RepeatSmallCrush(gen, repeat) : bbattery_SmallCrush(gen);
    else if (!strcmp(argv[1], "crush")) some ? bbattery_RepeatCrush(gen, repeat) : bbattery_Crush(gen);
    else if (!strcmp(argv[1], "big")) some ? bbattery_RepeatBigCrush(gen, repeat) : bbattery_BigCrush(gen);
    else {
        fprintf(stderr, "the battery must be small, crush or big; got %s\n", argv[1]);
        return 2;
    }

    int suspect = 0, failed = 0;
    double least = 1.0;
    printf("\nAll p-values:\n");
    for (int i = 0; i < bbattery_NTests; i++) {
        double p = bbattery_pVal[i], tail = fmin(p, 1.0 - p);
        printf("  %-28s %.12g\n", bbattery_TestNames[i], p);
        least = fmin(least, tail);
        suspect += tail < 1e-3;
        failed += tail < 1e-10;
    }
    printf("\nWords read: %llu\n", taken);
    printf("Statistics: %d, outside [0.001, 0.999]: %d, beyond 1e-10 of an end: %d, nearest to an end: %.3g\n", bbattery_NTests, suspect, failed, least);
    unif01_DeleteExternGenBits(gen);
    return 0;
}
