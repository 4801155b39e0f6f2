"""Prints the loss of LightGBM on the data of TestLossBesideLightGBM.

    pip install lightgbm==4.7.0 numpy && python lightgbm_loss.py
"""
import lightgbm as lgb
import numpy as np

MASK = (1 << 64) - 1


def mix(x):  # SplitMix64
    x = (x + 0x9E3779B97F4A7C15) & MASK
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & MASK
    return x ^ (x >> 31)


ROWS, COLUMNS = 6000, 10
X = np.array([[mix(i * COLUMNS + j) >> 40 for j in range(COLUMNS)] for i in range(ROWS)], dtype=np.float64) / (1 << 24)
X[:, 1:3] = np.floor(X[:, 1:3] * 10)  # so that where bins end does not decide
margin = 4 * X[:, 0] * (X[:, 1] > 3) - 3 * (X[:, 2] > 5) + 2 * X[:, 3] * X[:, 4] - 1
y = 1 / (1 + np.exp(-margin))
w = 1 + np.arange(ROWS) % 3
train, test = slice(0, 4000), slice(4000, ROWS)
parameters = dict(objective="cross_entropy", learning_rate=.1, num_leaves=15, min_data_in_leaf=20, lambda_l2=1,
                  min_sum_hessian_in_leaf=.5, max_bin=127, num_threads=1, verbose=-1, deterministic=True)
model = lgb.train(parameters, lgb.Dataset(X[train], y[train], weight=w[train]), 100)
p = model.predict(X[test])
loss = -(y[test] * np.log(p) + (1 - y[test]) * np.log(1 - p))
entropy = -(y[test] * np.log(y[test]) + (1 - y[test]) * np.log(1 - y[test]))
print(lgb.__version__, "loss %.6f, of which the labels' own entropy is %.6f" % (np.average(loss, weights=w[test]), np.average(entropy, weights=w[test])))
