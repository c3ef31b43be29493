"""XGBoost's trainer for CUDA beside its own trainer for the processor. Where the two differ, the difference is XGBoost's: an H100 shows the
same one, and the programs ask for the H100's figure (docs/measurements/clients.md). On a card: python3 xgboost_programs.py"""

import numpy as np
import xgboost
from programs import equal, run


def predictions(device, objective, *, rows, bins, rounds, depth, quantised, **options):
    x = np.random.default_rng(1).standard_normal((rows, 8)).astype(np.float32)
    noise = 0.3 * np.random.default_rng(2).standard_normal(rows)
    target = x[:, 0] + 0.5 * x[:, 1] + noise
    labels = dict(label=target)
    if objective.startswith("rank"):
        groups = np.repeat(np.arange(rows // 20), 20)
        labels = dict(label=np.digitize(target, [-1, 0, 1]).astype(np.float32), qid=groups)
    data = xgboost.QuantileDMatrix(x, max_bin=bins, **labels) if quantised else xgboost.DMatrix(x, **labels)
    settings = dict(objective=objective, device=device, tree_method="hist", max_depth=depth, max_bin=bins, nthread=1)
    booster = xgboost.train({**settings, **options}, data, num_boost_round=rounds)
    return booster.predict(xgboost.DMatrix(x), output_margin=True)


def difference(objective, **case):
    """The largest difference of two predictions, CUDA beside the processor."""
    host, card, again = (predictions(device, objective, **case) for device in ("cpu", "cuda", "cuda"))
    equal(again, card, 0)
    return float(np.abs(host - card).max())


def check_regression():
    for quantised in (False, True):
        assert difference("reg:squarederror", rows=2000, bins=256, rounds=10, depth=4, quantised=quantised) < 1e-5


def check_regression_of_a_bin_a_value():
    assert difference("reg:squarederror", rows=200, bins=256, rounds=10, depth=4, quantised=False) < 1e-5


def check_ranking_where_both_trainers_agree():
    assert difference("rank:pairwise", rows=600, bins=64, rounds=4, depth=3, quantised=True) < 1e-5
    assert difference("rank:ndcg", rows=600, bins=64, rounds=4, depth=3, quantised=True) < 1e-5


def check_ranking_as_far_apart_as_on_a_card():
    equal(difference("rank:pairwise", rows=200, bins=256, rounds=10, depth=4, quantised=False), 0.3543, 1e-3)
    equal(difference("rank:pairwise", rows=2000, bins=256, rounds=10, depth=4, quantised=False), 0.5704, 1e-3)


def check_ranking_of_random_pairs_as_far_apart_as_on_a_card():
    case = dict(rows=600, bins=64, rounds=4, depth=4, quantised=True, lambdarank_pair_method="mean")
    equal(difference("rank:pairwise", **case), 1.249, 1e-3)


if __name__ == "__main__":
    run(f"xgboost {xgboost.__version__}", globals())
