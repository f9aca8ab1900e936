/* Perft of Reversi from the start position, in C with 4-lane AVX2 intrinsics.

   The yardstick for `evolve perft`: same conventions (a pass is a ply, a finished game one
   position, the last ply counted from the moves without playing them), one thread, no table.
   Moves by parallel prefix and flips by carry and parallel prefix, rows, columns and both
   diagonals in the four lanes.

   cc -O3 -march=native benchmarks/perft.c -o perft && ./perft 11 5
   prints depth, nodes and the CPU seconds of so many repetitions, one a line. */

#include <immintrin.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef uint64_t u64;

static __m256i rays_up[64], rays_down[64];

static u64 ray(int square, int dx, int dy)
{
    u64 squares = 0;
    int x = square % 8 + dx, y = square / 8 + dy;
    for (; x >= 0 && x < 8 && y >= 0 && y < 8; x += dx, y += dy)
        squares |= 1ULL << (8 * y + x);
    return squares;
}

static void make_rays(void)
{
    for (int s = 0; s < 64; s++) {
        rays_up[s] = _mm256_set_epi64x(ray(s, 1, 1), ray(s, -1, 1), ray(s, 0, 1), ray(s, 1, 0));
        rays_down[s] =
            _mm256_set_epi64x(ray(s, -1, -1), ray(s, 1, -1), ray(s, 0, -1), ray(s, -1, 0));
    }
}

static inline u64 or_lanes(__m256i v)
{
    __m128i half = _mm_or_si128(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
    return _mm_cvtsi128_si64(_mm_or_si128(half, _mm_unpackhi_epi64(half, half)));
}

static inline u64 moves_of(u64 own, u64 opp)
{
    const __m256i one = _mm256_set_epi64x(9, 7, 8, 1), two = _mm256_set_epi64x(18, 14, 16, 2);
    const __m256i inside = _mm256_set_epi64x(0x7E7E7E7E7E7E7E7E, 0x7E7E7E7E7E7E7E7E, -1,
                                             0x7E7E7E7E7E7E7E7E);
    __m256i p = _mm256_set1_epi64x(own), o = _mm256_and_si256(_mm256_set1_epi64x(opp), inside);
    __m256i up = _mm256_and_si256(o, _mm256_sllv_epi64(p, one));
    __m256i down = _mm256_and_si256(o, _mm256_srlv_epi64(p, one));
    up = _mm256_or_si256(up, _mm256_and_si256(o, _mm256_sllv_epi64(up, one)));
    down = _mm256_or_si256(down, _mm256_and_si256(o, _mm256_srlv_epi64(down, one)));
    __m256i run_up = _mm256_and_si256(o, _mm256_sllv_epi64(o, one));
    __m256i run_down = _mm256_srlv_epi64(run_up, one);
    for (int i = 0; i < 2; i++) {
        up = _mm256_or_si256(up, _mm256_and_si256(run_up, _mm256_sllv_epi64(up, two)));
        down = _mm256_or_si256(down, _mm256_and_si256(run_down, _mm256_srlv_epi64(down, two)));
    }
    up = _mm256_or_si256(_mm256_sllv_epi64(up, one), _mm256_srlv_epi64(down, one));
    return or_lanes(up) & ~(own | opp);
}

static inline u64 flips_of(int square, u64 own, u64 opp)
{
    const __m256i one = _mm256_set_epi64x(9, 7, 8, 1), two = _mm256_set_epi64x(18, 14, 16, 2);
    const __m256i four = _mm256_set_epi64x(36, 28, 32, 4), unit = _mm256_set1_epi64x(1);
    const __m256i zero = _mm256_setzero_si256();
    __m256i p = _mm256_set1_epi64x(own), o = _mm256_set1_epi64x(opp);
    /* Upward: a 1 added below the ray is carried through the other side's discs. */
    __m256i mask = rays_up[square];
    __m256i end = _mm256_add_epi64(_mm256_or_si256(o, _mm256_xor_si256(mask, _mm256_set1_epi64x(-1))), unit);
    end = _mm256_and_si256(_mm256_and_si256(end, mask), p);
    __m256i none = _mm256_cmpeq_epi64(end, zero);
    __m256i flips = _mm256_andnot_si256(_mm256_sub_epi64(none, end), mask);
    /* Downward: no end lies beyond a square that is not the other side's. */
    mask = rays_down[square];
    __m256i beyond = _mm256_srlv_epi64(_mm256_andnot_si256(o, mask), one);
    beyond = _mm256_or_si256(beyond, _mm256_srlv_epi64(beyond, one));
    beyond = _mm256_or_si256(beyond, _mm256_srlv_epi64(beyond, two));
    beyond = _mm256_or_si256(beyond, _mm256_srlv_epi64(beyond, four));
    end = _mm256_andnot_si256(beyond, _mm256_and_si256(p, mask));
    end = _mm256_sub_epi64(zero, _mm256_add_epi64(end, end));
    flips = _mm256_or_si256(flips, _mm256_and_si256(end, mask));
    return or_lanes(flips);
}

static u64 perft(u64 own, u64 opp, int depth)
{
    if (depth == 0)
        return 1;
    u64 moves = moves_of(own, opp);
    if (moves == 0) {
        if (moves_of(opp, own) == 0 || --depth == 0)
            return 1;
        u64 other = own;
        own = opp;
        opp = other;
        moves = moves_of(own, opp);
    }
    if (depth == 1)
        return _mm_popcnt_u64(moves);
    u64 count = 0;
    for (; moves; moves &= moves - 1) {
        int square = _tzcnt_u64(moves);
        u64 turned = flips_of(square, own, opp);
        count += perft(opp ^ turned, own ^ turned ^ (1ULL << square), depth - 1);
    }
    return count;
}

int main(int argc, char **argv)
{
    int depth = argc > 1 ? atoi(argv[1]) : 11, repeats = argc > 2 ? atoi(argv[2]) : 1;
    make_rays();
    for (int i = 0; i < repeats; i++) {
        clock_t begin = clock();
        u64 nodes = perft(1ULL << 28 | 1ULL << 35, 1ULL << 27 | 1ULL << 36, depth);
        printf("%d %llu %.6f\n", depth, (unsigned long long)nodes,
               (double)(clock() - begin) / CLOCKS_PER_SEC);
        fflush(stdout);
    }
    return 0;
}
