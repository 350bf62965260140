/* Building the table of two ranks a column. */
#include "zipf.h"

#include <stdlib.h>

static double harmonic(uint32_t count)
{
    double sum = 0;

    for (uint32_t i = count; i > 0; i--)
        sum += 1.0 / i;
    return sum;
}

static uint32_t share_of(double weight)
{
    return weight >= 1.0 ? UINT32_MAX : (uint32_t)(weight * 4294967295.0);
}

/* Gives a rank the column of its own number, filled up by `donor`. */
static void fill_column(struct tk_zipf *zipf, double *weights, uint32_t rank, uint32_t donor)
{
    zipf->columns[rank] = (struct tk_zipf_column){share_of(weights[rank]), donor};
    weights[donor] -= 1.0 - weights[rank];
}

/*
 * `weights` are the ranks' shares in columns; they fall with the rank and sum to the number of columns. The
 * lightest rank left is filled up by the heaviest; when that one has less than a column left it is filled up
 * by the next.
 */
static void fill(struct tk_zipf *zipf, double *weights)
{
    uint32_t heavy = 0;
    uint32_t last = zipf->count - 1;

    while (heavy < last) {
        fill_column(zipf, weights, last--, heavy);
        while (weights[heavy] < 1.0 && heavy < last) {
            fill_column(zipf, weights, heavy, heavy + 1);
            heavy++;
        }
    }
    zipf->columns[last] = (struct tk_zipf_column){UINT32_MAX, last};
}

int tk_zipf_init(struct tk_zipf *zipf, uint32_t count)
{
    double *weights = malloc(count * sizeof(*weights));
    double scale = count / harmonic(count);

    zipf->count = count;
    zipf->columns = malloc(count * sizeof(*zipf->columns));
    if (weights && zipf->columns) {
        for (uint32_t i = 0; i < count; i++)
            weights[i] = scale / (i + 1);
        fill(zipf, weights);
    }
    free(weights);
    if (weights && zipf->columns)
        return 0;
    tk_zipf_release(zipf);
    return -1;
}

void tk_zipf_release(struct tk_zipf *zipf)
{
    free(zipf->columns);
    zipf->columns = NULL;
}
