"""NVIDIA Warp on its CUDA device, built from its source (`run warp SOURCE`) or from its wheel (`run warp_wheel`): kernels, tiles, structs, graphs, gradients and what its native
library brings, against NumPy."""

from typing import Any

import numpy as np
import warp as wp
from programs import equal, run

if hasattr(wp, "LOG_WARNING"):
    wp.config.log_level = wp.LOG_WARNING
else:
    wp.config.quiet = True
# NVIDIA's compiler is linked into a wheel, where no front can have it answer PTX.
wp.config.cuda_output = "ptx"
wp.init()
DEVICE = wp.get_device("cuda:0")
wp.set_device(DEVICE)
random = np.random.default_rng(7)


def data(*shape):
    return random.standard_normal(shape).astype(np.float32)


@wp.kernel
def axpy(a: float, x: wp.array(dtype=float), y: wp.array(dtype=float)):
    i = wp.tid()
    y[i] = a * x[i] + y[i]


def check_launch():
    x, y = data(1000), data(1000)
    to = wp.array(y, dtype=float)
    wp.launch(axpy, dim=1000, inputs=[2.5, wp.array(x, dtype=float), to])
    equal(to.numpy(), 2.5 * x + y)


@wp.kernel
def outer(x: wp.array(dtype=float), y: wp.array(dtype=float), to: wp.array2d(dtype=float)):
    i, j = wp.tid()
    to[i, j] = x[i] * y[j]


def check_two_dimensions():
    x, y = data(33), data(17)
    to = wp.zeros((33, 17), dtype=float)
    wp.launch(outer, dim=(33, 17), inputs=[wp.array(x), wp.array(y), to])
    equal(to.numpy(), np.outer(x, y))


@wp.kernel
def functions(x: wp.array(dtype=float), to: wp.array2d(dtype=float)):
    i = wp.tid()
    to[0, i] = wp.sin(x[i])
    to[1, i] = wp.exp(x[i])
    to[2, i] = wp.sqrt(wp.abs(x[i]))
    to[3, i] = wp.atan2(x[i], 0.5)
    to[4, i] = wp.floor(x[i]) + wp.clamp(x[i], -0.5, 0.5)


def check_functions():
    x = data(500)
    to = wp.zeros((5, 500), dtype=float)
    wp.launch(functions, dim=500, inputs=[wp.array(x), to])
    equal(to.numpy(), np.stack([np.sin(x), np.exp(x), np.sqrt(np.abs(x)), np.arctan2(x, np.float32(0.5)), np.floor(x) + x.clip(-0.5, 0.5)]), 2e-5)


@wp.kernel
def count(values: wp.array(dtype=int), bins: wp.array(dtype=int), largest: wp.array(dtype=int)):
    value = values[wp.tid()]
    wp.atomic_add(bins, value, 1)
    wp.atomic_max(largest, 0, value)


def check_atomics():
    values = random.integers(0, 20, 5000).astype(np.int32)
    bins, largest = wp.zeros(20, dtype=int), wp.zeros(1, dtype=int)
    wp.launch(count, dim=5000, inputs=[wp.array(values), bins, largest])
    equal(bins.numpy(), np.bincount(values, minlength=20))
    equal(largest.numpy(), [values.max()])


@wp.struct
class Particle:
    at: wp.vec3
    speed: wp.vec3
    mass: float


@wp.kernel
def move(particles: wp.array(dtype=Particle), time: float):
    i = wp.tid()
    p = particles[i]
    p.at = p.at + p.speed * time / p.mass
    particles[i] = p


def check_structs():
    host = np.zeros(50, dtype=Particle.numpy_dtype())
    host["at"], host["speed"], host["mass"] = data(50, 3), data(50, 3), np.abs(data(50)) + 1
    particles = wp.array(host, dtype=Particle)
    wp.launch(move, dim=50, inputs=[particles, 0.25])
    equal(particles.numpy()["at"], host["at"] + host["speed"] * 0.25 / host["mass"][:, None])


@wp.kernel
def turn(q: wp.array(dtype=wp.quat), m: wp.array(dtype=wp.mat33), v: wp.array(dtype=wp.vec3), to: wp.array2d(dtype=wp.vec3), d: wp.array(dtype=float)):
    i = wp.tid()
    to[0, i] = wp.quat_rotate(q[i], v[i])
    to[1, i] = m[i] * v[i]
    to[2, i] = wp.cross(v[i], wp.normalize(v[i] + wp.vec3(1.0, 2.0, 3.0)))
    d[i] = wp.determinant(m[i])


def check_vectors_and_matrices():
    q = data(40, 4)
    q /= np.linalg.norm(q, axis=1, keepdims=True)
    m, v = data(40, 3, 3), data(40, 3)
    to, d = wp.zeros((3, 40), dtype=wp.vec3), wp.zeros(40, dtype=float)
    wp.launch(turn, dim=40, inputs=[wp.array(q, dtype=wp.quat), wp.array(m, dtype=wp.mat33), wp.array(v, dtype=wp.vec3), to, d])
    w = v + np.float32([1, 2, 3])
    u = np.cross(q[:, :3], v) * 2
    turned = v + q[:, 3:] * u + np.cross(q[:, :3], u)
    equal(to.numpy(), np.stack([turned, np.einsum("nij,nj->ni", m, v), np.cross(v, w / np.linalg.norm(w, axis=1, keepdims=True))]), 1e-4)
    equal(d.numpy(), np.linalg.det(m), 1e-4)


@wp.kernel
def converted(x: wp.array(dtype=wp.float64), h: wp.array(dtype=wp.float16), n: wp.array(dtype=wp.int64), u: wp.array(dtype=wp.uint8)):
    i = wp.tid()
    h[i] = wp.float16(x[i])
    n[i] = wp.int64(x[i] * wp.float64(1.0e12))
    u[i] = wp.uint8(i * 3)


def check_types():
    x = random.standard_normal(200)
    h, n, u = wp.zeros(200, dtype=wp.float16), wp.zeros(200, dtype=wp.int64), wp.zeros(200, dtype=wp.uint8)
    wp.launch(converted, dim=200, inputs=[wp.array(x, dtype=wp.float64), h, n, u])
    equal(h.numpy().view(np.uint16), x.astype(np.float32).astype(np.float16).view(np.uint16))
    equal(n.numpy(), (x * 1e12).astype(np.int64))
    equal(u.numpy(), (np.arange(200) * 3).astype(np.uint8))


@wp.kernel
def square_sum(x: wp.array(dtype=float), loss: wp.array(dtype=float)):
    i = wp.tid()
    wp.atomic_add(loss, 0, x[i] * x[i] * wp.sin(x[i]))


def check_gradient():
    x = data(300)
    at = wp.array(x, dtype=float, requires_grad=True)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(square_sum, dim=300, inputs=[at, loss])
    tape.backward(loss)
    equal(loss.numpy(), [(x * x * np.sin(x)).sum()], 1e-3)
    equal(at.grad.numpy(), 2 * x * np.sin(x) + x * x * np.cos(x), 1e-4)


@wp.kernel
def spring(x: wp.array(dtype=wp.vec3), v: wp.array(dtype=wp.vec3), to_x: wp.array(dtype=wp.vec3), to_v: wp.array(dtype=wp.vec3)):
    i = wp.tid()
    to_v[i] = v[i] - x[i] * 0.1
    to_x[i] = x[i] + to_v[i] * 0.1


@wp.kernel
def energy(x: wp.array(dtype=wp.vec3), loss: wp.array(dtype=float)):
    wp.atomic_add(loss, 0, wp.dot(x[wp.tid()], x[wp.tid()]))


def check_gradient_through_steps():
    x, v, steps = data(10, 3), data(10, 3), 8
    xs = [wp.array(x, dtype=wp.vec3, requires_grad=True)] + [wp.zeros(10, dtype=wp.vec3, requires_grad=True) for _ in range(steps)]
    vs = [wp.array(v, dtype=wp.vec3, requires_grad=True)] + [wp.zeros(10, dtype=wp.vec3, requires_grad=True) for _ in range(steps)]
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    with wp.Tape() as tape:
        for k in range(steps):
            wp.launch(spring, dim=10, inputs=[xs[k], vs[k], xs[k + 1], vs[k + 1]])
        wp.launch(energy, dim=10, inputs=[xs[-1], loss])
    tape.backward(loss)
    # The steps are linear: (x, v) of the last is a matrix times those of the first.
    step = np.array([[1 - 0.01, 0.1], [-0.1, 1]])
    a = np.linalg.matrix_power(step, steps)
    last = a[0, 0] * x + a[0, 1] * v
    equal(loss.numpy(), [(last**2).sum()], 1e-4)
    equal(xs[0].grad.numpy(), 2 * last * a[0, 0], 1e-4)
    equal(vs[0].grad.numpy(), 2 * last * a[0, 1], 1e-4)


TILE = 16


@wp.kernel
def tile_sums(x: wp.array2d(dtype=float), to: wp.array(dtype=float)):
    i = wp.tid()
    t = wp.tile_load(x[i], shape=64)
    wp.tile_store(to, wp.tile_sum(t * 2.0), offset=i)


def check_tile_sum():
    x = data(20, 64)
    to = wp.zeros(20, dtype=float)
    wp.launch_tiled(tile_sums, dim=[20], inputs=[wp.array(x), to], block_dim=64)
    equal(to.numpy(), 2 * x.sum(axis=1), 1e-4)


@wp.kernel
def tile_product(a: wp.array2d(dtype=float), b: wp.array2d(dtype=float), to: wp.array2d(dtype=float)):
    i, j = wp.tid()
    s = wp.tile_zeros(shape=(TILE, TILE), dtype=wp.float32)
    for k in range(a.shape[1] / TILE):
        x = wp.tile_load(a, shape=(TILE, TILE), offset=(i * TILE, k * TILE))
        y = wp.tile_load(b, shape=(TILE, TILE), offset=(k * TILE, j * TILE))
        wp.tile_matmul(x, y, s)
    wp.tile_store(to, s, offset=(i * TILE, j * TILE))


def check_tile_matmul():
    a, b = data(48, 64), data(64, 32)
    to = wp.zeros((48, 32), dtype=float)
    wp.launch_tiled(tile_product, dim=(3, 2), inputs=[wp.array(a), wp.array(b), to], block_dim=64)
    equal(to.numpy(), a @ b, 1e-4)


@wp.func
def longer(x: float):
    return wp.sqrt(x * x + 1.0)


@wp.kernel
def tile_mapped(x: wp.array(dtype=float), to: wp.array(dtype=float), lowest: wp.array(dtype=float)):
    i = wp.tid()
    t = wp.tile_load(x, shape=128, offset=i * 128)
    m = wp.tile_map(longer, t)
    wp.tile_store(to, m, offset=i * 128)
    wp.tile_store(lowest, wp.tile_reduce(wp.min, t), offset=i)


def check_tile_map_and_reduce():
    x = data(512)
    to, lowest = wp.zeros(512, dtype=float), wp.zeros(4, dtype=float)
    wp.launch_tiled(tile_mapped, dim=[4], inputs=[wp.array(x), to, lowest], block_dim=32)
    equal(to.numpy(), np.sqrt(x * x + 1))
    equal(lowest.numpy(), x.reshape(4, 128).min(axis=1))


@wp.kernel
def tile_sorted(keys: wp.array(dtype=int), values: wp.array(dtype=int)):
    i = wp.tid()
    k = wp.tile_load(keys, shape=64, offset=i * 64, storage="shared")
    v = wp.tile_load(values, shape=64, offset=i * 64, storage="shared")
    wp.tile_sort(k, v)
    wp.tile_store(keys, k, offset=i * 64)
    wp.tile_store(values, v, offset=i * 64)


def check_tile_sort():
    keys = np.concatenate([random.permutation(1000)[:64] for _ in range(3)]).astype(np.int32)
    k, v = wp.array(keys), wp.array(np.arange(192, dtype=np.int32))
    wp.launch_tiled(tile_sorted, dim=[3], inputs=[k, v], block_dim=64)
    equal(k.numpy(), np.sort(keys.reshape(3, 64), axis=1).ravel())
    equal(keys[v.numpy()], k.numpy())


@wp.kernel
def doubled(x: wp.array(dtype=float)):
    i = wp.tid()
    x[i] = x[i] * 2.0 + 1.0


def check_graph():
    x = data(256)
    at = wp.array(x, dtype=float)
    wp.load_module(device=DEVICE)
    with wp.ScopedCapture() as capture:
        for _ in range(3):
            wp.launch(doubled, dim=256, inputs=[at])
    want = x
    for _ in range(2):
        wp.capture_launch(capture.graph)
        for _ in range(3):
            want = want * 2 + 1
    equal(at.numpy(), want)


@wp.kernel
def less(left: wp.array(dtype=int), sum: wp.array(dtype=int)):
    sum[0] = sum[0] + left[0]
    left[0] = left[0] - 1


def turns(left, sum):
    wp.launch(less, dim=1, inputs=[left, sum])


def check_graph_with_a_loop():
    left, sum = wp.array([7], dtype=int), wp.zeros(1, dtype=int)
    wp.load_module(device=DEVICE)
    with wp.ScopedCapture() as capture:
        wp.capture_while(left, turns, left=left, sum=sum)
    wp.capture_launch(capture.graph)
    equal(sum.numpy(), [28])
    equal(left.numpy(), [0])


def check_streams_and_events():
    a, b = wp.Stream(DEVICE), wp.Stream(DEVICE)
    x = wp.zeros(1000, dtype=float)
    wp.synchronize_device()
    with wp.ScopedStream(a):
        wp.launch(doubled, dim=1000, inputs=[x])
        event = a.record_event()
    b.wait_event(event)
    with wp.ScopedStream(b):
        wp.launch(doubled, dim=1000, inputs=[x])
    wp.synchronize_stream(b)
    equal(x.numpy(), np.full(1000, 3.0))
    before, after = wp.Event(DEVICE, enable_timing=True), wp.Event(DEVICE, enable_timing=True)
    wp.record_event(before)
    wp.launch(doubled, dim=1000, inputs=[x])
    wp.record_event(after)
    assert wp.get_event_elapsed_time(before, after) > 0


@wp.kernel
def neighbours(grid: wp.uint64, at: wp.array(dtype=wp.vec3), radius: float, found: wp.array(dtype=int)):
    i = wp.hash_grid_point_id(grid, wp.tid())
    n = int(0)
    for j in wp.hash_grid_query(grid, at[i], radius):
        if wp.length(at[j] - at[i]) <= radius:
            n += 1
    found[i] = n


def check_hash_grid():
    at = random.random((600, 3)).astype(np.float32)
    grid = wp.HashGrid(16, 16, 16, device=DEVICE)
    points, found = wp.array(at, dtype=wp.vec3), wp.zeros(600, dtype=int)
    grid.build(points, 0.15)
    wp.launch(neighbours, dim=600, inputs=[grid.id, points, 0.15, found])
    equal(found.numpy(), (np.linalg.norm(at[:, None] - at[None], axis=2) <= 0.15).sum(axis=1))


def check_scan():
    x = random.integers(0, 9, 3000).astype(np.int32)
    to = wp.zeros(3000, dtype=int)
    wp.utils.array_scan(wp.array(x), to, inclusive=True)
    equal(to.numpy(), np.cumsum(x))
    wp.utils.array_scan(wp.array(x), to, inclusive=False)
    equal(to.numpy(), np.cumsum(x) - x)


def check_radix_sort():
    keys = random.permutation(2000).astype(np.int32)
    k, v = wp.zeros(4000, dtype=int), wp.zeros(4000, dtype=int)
    k.assign(np.concatenate([keys, np.zeros(2000, np.int32)]))
    v.assign(np.concatenate([np.arange(2000, dtype=np.int32), np.zeros(2000, np.int32)]))
    wp.utils.radix_sort_pairs(k, v, 2000)
    equal(k.numpy()[:2000], np.arange(2000))
    equal(v.numpy()[:2000], np.argsort(keys))


def check_run_lengths():
    x = np.repeat(np.arange(40), random.integers(1, 9, 40)).astype(np.int32)
    values, lengths, count = wp.zeros(len(x), dtype=int), wp.zeros(len(x), dtype=int), wp.zeros(1, dtype=int)
    wp.utils.runlength_encode(wp.array(x), values, lengths, count)
    want = np.unique(x, return_counts=True)
    equal(count.numpy(), [40])
    equal(values.numpy()[:40], want[0])
    equal(lengths.numpy()[:40], want[1])


def check_sums_of_arrays():
    x, y = data(5000), data(5000)
    equal(wp.utils.array_sum(wp.array(x)), x.astype(np.float64).sum(), 1e-2)
    equal(wp.utils.array_inner(wp.array(x), wp.array(y)), (x.astype(np.float64) * y).sum(), 1e-2)


def check_views_and_copies():
    x = data(12, 10, 4)
    at = wp.array(x)
    equal(at[2:8, :, 1].numpy(), x[2:8, :, 1])
    equal(at.transpose((2, 0, 1)).numpy(), x.transpose(2, 0, 1))
    to = wp.zeros((6, 10), dtype=float)
    wp.copy(to, at[2:8, :, 1].contiguous())
    equal(to.numpy(), x[2:8, :, 1])
    to.fill_(3.5)
    equal(to.numpy(), np.full((6, 10), 3.5))
    host = wp.array(x, device="cpu", pinned=True)
    wp.copy(at, host)
    equal(at.numpy(), x)


@wp.kernel
def gathered(x: wp.indexedarray(dtype=float), to: wp.array(dtype=float)):
    to[wp.tid()] = x[wp.tid()] + 1.0


def check_indexed_arrays():
    x = data(100)
    indices = random.permutation(100)[:30].astype(np.int32)
    at = wp.indexedarray(wp.array(x), [wp.array(indices)])
    to = wp.zeros(30, dtype=float)

    wp.launch(gathered, dim=30, inputs=[at, to])
    equal(to.numpy(), x[indices] + 1)


@wp.kernel
def drawn(seed: int, to: wp.array2d(dtype=float)):
    i = wp.tid()
    state = wp.rand_init(seed, i)
    to[0, i] = wp.randf(state)
    to[1, i] = wp.randn(state)
    to[2, i] = wp.noise(state, float(i) * 0.37)


def check_random_numbers():
    device, host = (wp.zeros((3, 20000), dtype=float, device=where) for where in (DEVICE, DEVICE))
    wp.launch(drawn, dim=20000, inputs=[42, device])
    wp.launch(drawn, dim=20000, inputs=[42, host])
    got = device.numpy()
    equal(got, host.numpy())
    assert 0 <= got[0].min() and got[0].max() < 1 and abs(got[0].mean() - 0.5) < 0.01 and abs(got[0].var() - 1 / 12) < 0.005
    assert abs(got[1].mean()) < 0.03 and abs(got[1].std() - 1) < 0.03


@wp.kernel
def cast(mesh: wp.uint64, at: wp.array(dtype=wp.vec3), hit: wp.array(dtype=float), nearest: wp.array(dtype=wp.vec3)):
    i = wp.tid()
    found = wp.mesh_query_ray(mesh, at[i], wp.vec3(0.0, 0.0, -1.0), 100.0)
    hit[i] = -1.0
    if found.result:
        hit[i] = found.t
    close = wp.mesh_query_point(mesh, at[i], 100.0)
    if close.result:
        nearest[i] = wp.mesh_eval_position(mesh, close.face, close.u, close.v)


def check_mesh_queries():
    # A square from -1 to 1 at height 0, of two triangles.
    corners = np.float32([[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]])
    mesh = wp.Mesh(points=wp.array(corners, dtype=wp.vec3), indices=wp.array([0, 1, 2, 0, 2, 3], dtype=int))
    at = np.column_stack([random.uniform(-2, 2, (200, 2)), random.uniform(0.5, 3, 200)]).astype(np.float32)
    hit, nearest = wp.zeros(200, dtype=float), wp.zeros(200, dtype=wp.vec3)
    wp.launch(cast, dim=200, inputs=[mesh.id, wp.array(at, dtype=wp.vec3), hit, nearest])
    over = (np.abs(at[:, :2]) <= 1).all(axis=1)
    equal(hit.numpy(), np.where(over, at[:, 2], -1), 1e-4)
    equal(nearest.numpy(), np.column_stack([at[:, :2].clip(-1, 1), np.zeros(200)]), 1e-4)


@wp.kernel
def boxes_around(bvh: wp.uint64, at: wp.array(dtype=wp.vec3), found: wp.array(dtype=int)):
    i = wp.tid()
    query = wp.bvh_query_aabb(bvh, at[i], at[i])
    box = int(0)
    while wp.bvh_query_next(query, box):
        found[i] = found[i] + 1


def check_bounding_volumes():
    low = random.random((100, 3)).astype(np.float32)
    high = low + 0.3
    at = random.random((150, 3)).astype(np.float32)
    bvh = wp.Bvh(wp.array(low, dtype=wp.vec3), wp.array(high, dtype=wp.vec3))
    found = wp.zeros(150, dtype=int)
    wp.launch(boxes_around, dim=150, inputs=[bvh.id, wp.array(at, dtype=wp.vec3), found])
    inside = (low[None] <= at[:, None]) & (at[:, None] <= high[None])
    equal(found.numpy(), inside.all(axis=2).sum(axis=1))


def check_sparse_product():
    from warp.sparse import bsr_from_triplets, bsr_mv

    rows, columns = random.integers(0, 30, 90).astype(np.int32), random.integers(0, 20, 90).astype(np.int32)
    values, x = data(90), data(20)
    dense = np.zeros((30, 20), np.float32)
    np.add.at(dense, (rows, columns), values)
    matrix = bsr_from_triplets(30, 20, wp.array(rows), wp.array(columns), wp.array(values))
    y = bsr_mv(matrix, wp.array(x))
    equal(y.numpy(), dense @ x, 1e-4)


@wp.func
def branch(x: float, kind: int):
    if kind == 0:
        return x
    return -x


@wp.kernel
def looped(x: wp.array(dtype=float), to: wp.array(dtype=float), n: int):
    i = wp.tid()
    s = float(0.0)
    for k in range(n):
        if k % 3 == 2:
            continue
        if k > i % 7 + 3:
            break
        s += branch(x[i], k % 2) * float(k)
    to[i] = s


def check_control_flow():
    x = data(100)
    to = wp.zeros(100, dtype=float)
    wp.launch(looped, dim=100, inputs=[wp.array(x), to, 9])
    want = [sum((v if k % 2 == 0 else -v) * k for k in range(9) if k % 3 != 2 and k <= i % 7 + 3) for i, v in enumerate(x)]
    equal(to.numpy(), np.float32(want))


@wp.kernel
def generic(x: wp.array(dtype=Any), y: Any):
    i = wp.tid()
    x[i] = x[i] * y


def check_generic_kernel():
    for kind, dtype in [(wp.float32, np.float32), (wp.float64, np.float64), (wp.int32, np.int32)]:
        x = np.arange(50).astype(dtype)
        at = wp.array(x, dtype=kind)
        wp.launch(generic, dim=50, inputs=[at, kind(3)])
        equal(at.numpy(), x * 3)


if __name__ == "__main__":
    run("warp " + wp.config.version, globals())
