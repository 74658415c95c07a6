/* The full conditional as it is printed: two log-gammas for every term of a
 * document and every cluster, documents in the outer loop, counts stored by
 * cluster.  Walker and Ringger (2008), equation 4; nothing is tabulated, kept
 * or skipped.  Draws as reseat does from the same uniforms, so that one can see
 * whether both make the same moves. */

#include <math.h>
#include <stdint.h>

static void add(int32_t *n_word, int64_t *n_token, int64_t *n_doc, const int32_t *words,
                const int32_t *counts, int64_t n_terms, int sign) {
    for (int64_t t = 0; t < n_terms; t++) {
        n_word[words[t]] += sign * counts[t];
        *n_token += sign * counts[t];
    }
    *n_doc += sign;
}

/* n_word[K][V], n_token[K], n_doc[K] are the statistics of labels[]; returns how
 * many documents moved. */
int64_t sweep(int64_t n_documents, int64_t V, int64_t K, const int64_t *indptr,
              const int32_t *words, const int32_t *counts, int32_t *labels, int32_t *n_word,
              int64_t *n_token, int64_t *n_doc, double alpha, double beta,
              const double *uniforms, double *weight) {
    int64_t moved = 0;
    for (int64_t d = 0; d < n_documents; d++) {
        const int32_t *w = words + indptr[d], *c = counts + indptr[d];
        int64_t n_terms = indptr[d + 1] - indptr[d], length = 0;
        int32_t old = labels[d];
        add(n_word + old * V, n_token + old, n_doc + old, w, c, n_terms, -1);
        for (int64_t t = 0; t < n_terms; t++) length += c[t];
        double best = -INFINITY, total = 0.0;
        for (int64_t k = 0; k < K; k++) {
            const int32_t *n = n_word + k * V;
            double score = log(alpha + n_doc[k]);
            for (int64_t t = 0; t < n_terms; t++)
                score += lgamma(beta + n[w[t]] + c[t]) - lgamma(beta + n[w[t]]);
            score -= lgamma(V * beta + n_token[k] + length) - lgamma(V * beta + n_token[k]);
            weight[k] = score;
            if (score > best) best = score;
        }
        for (int64_t k = 0; k < K; k++) total += weight[k] = exp(weight[k] - best);
        double u = uniforms[d] * total;
        int64_t k = 0;
        while (k < K - 1 && (u -= weight[k]) >= 0.0) k++;
        add(n_word + k * V, n_token + k, n_doc + k, w, c, n_terms, 1);
        labels[d] = (int32_t)k;
        moved += k != old;
    }
    return moved;
}
