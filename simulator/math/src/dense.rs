//! cuSOLVER's factorisations and solves, by nalgebra. Factors lie in memory as LAPACK has them.
use crate::answer::{Answer, C, Numbers, answers, sizes};
use crate::cublas::property;
use crate::failure::{Failure, Outcome};
use crate::handle::{Handle, change, insert, kind, out, state};
use crate::layout::Raw;
use nalgebra::DMatrixViewMut;
use nalgebra::linalg::{SVD, SymmetricEigen, gauss_step, gauss_step_swap};
use std::ffi::c_int;

type I = c_int;
type J = i64;
type P = i64;
type B = i8;

cuda::cusolver!(answers; "cusolver" of_cusolver);
cuda::cusolver_sizes!(sizes; "cusolver");
cuda::cublas_answered!(answers; "cublas" of_cublas);

/// Iterations that an eigenvalue may take.
const MOST_STEPS: usize = 1000;
/// The version whose functions are here: the last one without eigenvalues of any matrix.
const VERSION: c_int = 110_604;

/// Writes what is left of a factorisation: 0, or where it ended.
fn ended(own: &mut Answer, info: i64, at: usize) -> Outcome {
    own.put_integers(kind::S32, info, [at as i64])
}

/// Rows are exchanged as `pivots` say, and the first pivot that is 0.
fn factored(a: &mut Numbers, is_pivoted: bool) -> (Vec<usize>, usize) {
    let (mut pivots, mut zero) = (Vec::new(), 0);
    for k in 0..a.nrows().min(a.ncols()) {
        let row = if is_pivoted { k + a.view_range(k.., k).icamax() } else { k };
        pivots.push(row);
        let pivot = a[(row, k)];
        match (pivot == C::default(), row == k) {
            (true, _) => zero = if zero == 0 { k + 1 } else { zero },
            (false, true) => gauss_step(a, pivot, k),
            (false, false) => {
                a.columns_range_mut(..k).swap_rows(k, row);
                gauss_step_swap(a, pivot, k, row);
            }
        }
    }
    (pivots, zero)
}

fn getrf(own: &mut Answer, [m, n, at, lda, _, pivots, info]: [i64; 7]) -> Outcome {
    let mut a = own.matrix(at, lda, [m, n])?;
    let (rows, zero) = factored(&mut a, pivots != 0);
    own.put(at, lda, &a)?;
    if pivots != 0 {
        own.put_integers(kind::S32, pivots, rows.iter().map(|row| *row as i64 + 1))?;
    }
    ended(own, info, zero)
}

/// Solves by factors of which the first is lower and has ones on its diagonal.
fn solved(lu: &Numbers, pivots: &[usize], operation: i64, x: &mut Numbers) {
    let (mut lower, upper) = (lu.lower_triangle(), lu.upper_triangle());
    lower.fill_diagonal(C::new(1.0, 0.0));
    let (first, second) = match operation {
        0 => (lower, upper),
        1 => (upper.transpose(), lower.transpose()),
        _ => (upper.adjoint(), lower.adjoint()),
    };
    if operation == 0 {
        pivots.iter().enumerate().for_each(|(k, row)| x.swap_rows(k, *row));
    }
    first.solve_lower_triangular_unchecked_mut(x);
    second.solve_upper_triangular_unchecked_mut(x);
    if operation != 0 {
        pivots.iter().enumerate().rev().for_each(|(k, row)| x.swap_rows(k, *row));
    }
}

/// The rows that were exchanged; none without an address.
fn exchanged(own: &mut Answer, pivots: i64, n: i64) -> Result<Vec<usize>, Failure> {
    let pivots = if pivots == 0 { Vec::new() } else { own.integers(kind::S32, pivots, n)? };
    refuse_if!(pivots.iter().any(|row| !(1..=n).contains(row)), Failure::Invalid);
    Ok(pivots.iter().map(|row| *row as usize - 1).collect())
}

fn solve(own: &mut Answer, [operation, n, others, a, lda, pivots, b, ldb]: [i64; 8]) -> Outcome {
    let (a, mut x) = (own.matrix(a, lda, [n, n])?, own.matrix(b, ldb, [n, others])?);
    let pivots = exchanged(own, pivots, n)?;
    solved(&a, &pivots, operation, &mut x);
    own.put(b, ldb, &x)
}
fn getrs(own: &mut Answer, [operation, n, others, a, lda, pivots, b, ldb, info]: [i64; 9]) -> Outcome {
    solve(own, [operation, n, others, a, lda, pivots, b, ldb])?;
    ended(own, info, 0)
}

/// Where the pivots of one of a batch are.
fn of_batch(pivots: i64, n: i64, i: i64) -> i64 {
    if pivots == 0 { 0 } else { pivots + 4 * n * i }
}
fn getrf_batched(own: &mut Answer, [n, list, lda, pivots, info, batch]: [i64; 6]) -> Outcome {
    let list = own.integers(kind::S64, list, batch)?;
    list.iter().zip(0..).try_for_each(|(a, i)| getrf(own, [n, n, *a, lda, 0, of_batch(pivots, n, i), info + 4 * i]))
}
fn getrs_batched(own: &mut Answer, arguments: [i64; 10]) -> Outcome {
    let [operation, n, others, list, lda, pivots, of_b, ldb, info, batch] = arguments;
    let (list, of_b) = (own.integers(kind::S64, list, batch)?, own.integers(kind::S64, of_b, batch)?);
    for (i, (a, b)) in (0..).zip(list.iter().zip(of_b)) {
        solve(own, [operation, n, others, *a, lda, of_batch(pivots, n, i), b, ldb])?;
    }
    // This one is on the host.
    unsafe { out(info as *mut c_int, 0) }
}
fn getri_batched(own: &mut Answer, [n, list, lda, pivots, of_c, ldc, info, batch]: [i64; 8]) -> Outcome {
    let (list, of_c) = (own.integers(kind::S64, list, batch)?, own.integers(kind::S64, of_c, batch)?);
    for (i, (a, c)) in (0..).zip(list.iter().zip(of_c)) {
        let (a, pivots) = (own.matrix(*a, lda, [n, n])?, exchanged(own, of_batch(pivots, n, i), n)?);
        let mut inverse = Numbers::identity(n as usize, n as usize);
        solved(&a, &pivots, 0, &mut inverse);
        own.put(c, ldc, &inverse)?;
        let zero = (0..a.nrows()).find(|k| a[(*k, *k)] == C::default());
        ended(own, info + 4 * i, zero.map_or(0, |k| k + 1))?;
    }
    Ok(())
}

fn gesv(own: &mut Answer, [n, others, at, lda, pivots, b, ldb, x, ldx, _, _, iterations, info]: [i64; 13]) -> Outcome {
    let mut solution = own.matrix(b, ldb, [n, others])?;
    own.put(x, ldx, &solution)?;
    getrf(own, [n, n, at, lda, 0, pivots, info])?;
    let a = own.matrix(at, lda, [n, n])?;
    let rows = exchanged(own, pivots, n)?;
    solved(&a, &rows, 0, &mut solution);
    own.put(x, ldx, &solution)?;
    unsafe { out(iterations as *mut c_int, 0) }
}

/// The lower triangle of a Hermitian matrix of which one triangle is given.
fn lower(own: &mut Answer, fill: i64, at: i64, lda: i64, n: i64) -> Result<Numbers, Failure> {
    own.is_triangle = true;
    let a = own.matrix(at, lda, [n, n])?;
    own.is_triangle = false;
    Ok(if fill == 0 { a.lower_triangle() } else { a.upper_triangle().adjoint() })
}

fn potrf(own: &mut Answer, [fill, n, at, lda, _, _, info]: [i64; 7]) -> Outcome {
    let mut l = lower(own, fill, at, lda, n)?;
    for k in 0..l.nrows() {
        let rest = l[(k, k)].re - l.view_range(k, ..k).norm_squared();
        // A number that is none is not above 0 either.
        if rest.is_nan() || rest <= 0.0 {
            return ended(own, info, k + 1);
        }
        let (pivot, known) = (rest.sqrt(), l.view_range(k, ..k).adjoint());
        let below = (l.view_range(k + 1.., k) - l.view_range(k + 1.., ..k) * known) / C::new(pivot, 0.0);
        l[(k, k)] = C::new(pivot, 0.0);
        l.view_range_mut(k + 1.., k).copy_from(&below);
    }
    own.is_triangle = true;
    let mut a = own.matrix(at, lda, [n, n])?;
    match fill {
        0 => a.zip_apply(&l, |to, new| *to = if new == C::default() { *to } else { new }),
        _ => a.zip_apply(&l.adjoint(), |to, new| *to = if new == C::default() { *to } else { new }),
    }
    own.put(at, lda, &a)?;
    ended(own, info, 0)
}

fn potrs(own: &mut Answer, [fill, n, others, a, lda, b, ldb, info]: [i64; 8]) -> Outcome {
    let l = lower(own, fill, a, lda, n)?;
    let mut x = own.matrix(b, ldb, [n, others])?;
    l.solve_lower_triangular_unchecked_mut(&mut x);
    l.adjoint().solve_upper_triangular_unchecked_mut(&mut x);
    own.put(b, ldb, &x)?;
    ended(own, info, 0)
}

fn potrf_batched(own: &mut Answer, [fill, n, list, lda, info, batch]: [i64; 6]) -> Outcome {
    let list = own.integers(kind::S64, list, batch)?;
    list.iter().zip(0..).try_for_each(|(a, i)| potrf(own, [fill, n, *a, lda, 0, 0, info + 4 * i]))
}

fn potrs_batched(own: &mut Answer, [fill, n, others, a, lda, b, ldb, info, batch]: [i64; 9]) -> Outcome {
    let (a, b) = (own.integers(kind::S64, a, batch)?, own.integers(kind::S64, b, batch)?);
    a.iter().zip(b).try_for_each(|(a, b)| potrs(own, [fill, n, others, *a, lda, b, ldb, info]))
}

/// A reflector that stands below the diagonal in column k; its first element is 1.
fn reflector(a: &Numbers, k: usize) -> Numbers {
    let mut v = a.view_range(k.., k..=k).into_owned();
    v[0] = C::new(1.0, 0.0);
    v
}

/// X becomes X − τ·v·vᴴ·X.
fn reflect(mut x: DMatrixViewMut<C>, v: &Numbers, tau: C) {
    let taken = v.adjoint() * &x * tau;
    x -= v * taken;
}

/// Q and R, as reflectors below the diagonal and above it; the reflectors' factors.
fn reflectors(a: &mut Numbers) -> Vec<C> {
    let mut taus = vec![C::default(); a.nrows().min(a.ncols())];
    for (k, tau) in taus.iter_mut().enumerate() {
        let (first, size) = (a[(k, k)], a.view_range(k.., k).norm());
        if first.im == 0.0 && a.view_range(k + 1.., k).iter().all(|value| *value == C::default()) {
            continue;
        }
        let new = C::new(-size.copysign(first.re), 0.0);
        *tau = (new - first) / new;
        a.view_range_mut(k + 1.., k).iter_mut().for_each(|value| *value /= first - new);
        a[(k, k)] = new;
        let v = reflector(a, k);
        reflect(a.view_range_mut(k.., k + 1..), &v, tau.conj());
    }
    taus
}

/// X becomes Q·X, or Qᴴ·X.
fn reflected(x: &mut Numbers, a: &Numbers, taus: &[C], is_adjoint: bool) {
    for step in 0..taus.len() {
        let k = if is_adjoint { step } else { taus.len() - 1 - step };
        let tau = if is_adjoint { taus[k].conj() } else { taus[k] };
        reflect(x.view_range_mut(k.., ..), &reflector(a, k), tau);
    }
}

fn geqrf(own: &mut Answer, [m, n, at, lda, tau, _, _, info]: [i64; 8]) -> Outcome {
    let mut a = own.matrix(at, lda, [m, n])?;
    let taus = reflectors(&mut a);
    own.put(at, lda, &a)?;
    own.put_row(own.kind, tau, taus)?;
    ended(own, info, 0)
}

fn orgqr(own: &mut Answer, [m, n, k, at, lda, tau, _, _, info]: [i64; 9]) -> Outcome {
    let (a, taus) = (own.matrix(at, lda, [m, k])?, own.row(own.kind, tau, k)?);
    let mut q = Numbers::identity(m as usize, n as usize);
    reflected(&mut q, &a, &taus, false);
    own.put(at, lda, &q)?;
    ended(own, info, 0)
}

fn ormqr(own: &mut Answer, [side, operation, m, n, k, a, lda, tau, c, ldc, _, _, info]: [i64; 13]) -> Outcome {
    refuse_if!(operation == 1 && own.real() != own.kind, Failure::Invalid);
    let a = own.matrix(a, lda, [if side == 0 { m } else { n }, k])?;
    let (taus, mut x) = (own.row(own.kind, tau, k)?, own.matrix(c, ldc, [m, n])?);
    // X·Q is the adjoint of Qᴴ·Xᴴ.
    if side == 0 {
        reflected(&mut x, &a, &taus, operation != 0);
    } else {
        x = x.adjoint();
        reflected(&mut x, &a, &taus, operation == 0);
        x = x.adjoint();
    }
    own.put(c, ldc, &x)?;
    ended(own, info, 0)
}

fn gels(own: &mut Answer, [m, n, others, a, lda, b, ldb, x, ldx, _, _, iterations, info]: [i64; 13]) -> Outcome {
    refuse_if!(m < n, Failure::Invalid);
    let (mut a, mut right) = (own.matrix(a, lda, [m, n])?, own.matrix(b, ldb, [m, others])?);
    let taus = reflectors(&mut a);
    reflected(&mut right, &a, &taus, true);
    let mut solution = right.rows(0, n as usize).into_owned();
    a.rows(0, n as usize).solve_upper_triangular_unchecked_mut(&mut solution);
    own.put(x, ldx, &solution)?;
    unsafe { out(iterations as *mut c_int, 0)? };
    ended(own, info, 0)
}

fn syevd(own: &mut Answer, [vectors, fill, n, at, lda, w, _, _, info]: [i64; 9]) -> Outcome {
    let a = lower(own, fill, at, lda, n)?;
    if n == 0 {
        return Ok(());
    }
    let Some(found) = SymmetricEigen::try_new(a, f64::EPSILON, MOST_STEPS * n as usize) else {
        return ended(own, info, n as usize);
    };
    let mut order: Vec<usize> = (0..n as usize).collect();
    order.sort_by(|a, b| found.eigenvalues[*a].total_cmp(&found.eigenvalues[*b]));
    own.put_row(own.real(), w, order.iter().map(|i| C::new(found.eigenvalues[*i], 0.0)))?;
    if vectors != 0 {
        own.put(at, lda, &found.eigenvectors.select_columns(&order))?;
    }
    ended(own, info, 0)
}

fn syev_batched(own: &mut Answer, [vectors, fill, n, a, lda, w, _, _, info, _, batch]: [i64; 11]) -> Outcome {
    let (of_a, of_w) = (kind::bytes(own.kind) as i64 * lda * n, kind::bytes(own.real()) as i64 * n);
    (0..batch).try_for_each(|i| syevd(own, [vectors, fill, n, a + i * of_a, lda, w + i * of_w, 0, 0, info + 4 * i]))
}

fn xsyevd(own: &mut Answer, [_, vectors, fill, n, kind, a, lda, _, w, _, _, _, _, _, info]: [i64; 15]) -> Outcome {
    own.kind = kind as c_int;
    syevd(own, [vectors, fill, n, a, lda, w, 0, 0, info])
}

/// As many columns as rows: the others are orthogonal to these.
fn completed(u: Numbers) -> Numbers {
    let (mut a, rows) = (u.clone(), u.nrows());
    let taus = reflectors(&mut a);
    let mut q = Numbers::identity(rows, rows);
    reflected(&mut q, &a, &taus, false);
    q.columns_mut(0, u.ncols()).copy_from(&u);
    q
}

/// Singular values and vectors. U and Vᴴ, or V, are written to an address with a leading dimension; `'A'`: whole, `'S'`: as many as values,
/// `'O'`: these in the place of A, `'N'`: not.
fn decomposed(
    own: &mut Answer,
    [m, n]: [i64; 2],
    (place, lda): (i64, i64),
    s: i64,
    (u, ldu, left): (i64, i64, u8),
    (v, ldv, right, is_adjoint): (i64, i64, u8, bool),
    info: i64,
) -> Outcome {
    refuse_if!([left, right].iter().any(|job| !b"ASNO".contains(job)), Failure::Invalid);
    // Vectors in the place of A have no place of their own.
    let [(u, ldu), (v, ldv)] =
        [(left, u, ldu), (right, v, ldv)].map(|(job, at, ld)| if job == b'O' { (place, lda) } else { (at, ld) });
    let a = own.matrix(place, lda, [m, n])?;
    if m == 0 || n == 0 {
        return Ok(());
    }
    let Some(found) = SVD::try_new(a, left != b'N', right != b'N', 5.0 * f64::EPSILON, MOST_STEPS * m.max(n) as usize)
    else {
        return ended(own, info, m.min(n) as usize);
    };
    own.put_row(own.real(), s, found.singular_values.iter().map(|value| C::new(*value, 0.0)))?;
    if let Some(vectors) = found.u {
        own.put(u, ldu, &if left == b'A' { completed(vectors) } else { vectors })?;
    }
    if let Some(vectors) = found.v_t {
        let vectors = if right == b'A' { completed(vectors.adjoint()) } else { vectors.adjoint() };
        own.put(v, ldv, &if is_adjoint { vectors.adjoint() } else { vectors })?;
    }
    ended(own, info, 0)
}

fn gesvd(own: &mut Answer, [left, right, m, n, a, lda, s, u, ldu, vt, ldvt, _, _, _, info]: [i64; 15]) -> Outcome {
    // As cuSOLVER does.
    refuse_if!(m < n, Failure::Invalid);
    decomposed(own, [m, n], (a, lda), s, (u, ldu, left as u8), (vt, ldvt, right as u8, true), info)
}

fn gesvdj(own: &mut Answer, [vectors, thin, m, n, a, lda, s, u, ldu, v, ldv, _, _, info]: [i64; 14]) -> Outcome {
    let job = [b'N', if thin != 0 { b'S' } else { b'A' }][usize::from(vectors != 0)];
    decomposed(own, [m, n], (a, lda), s, (u, ldu, job), (v, ldv, job, false), info)
}

fn gesvdj_batched(
    own: &mut Answer,
    [vectors, m, n, a, lda, s, u, ldu, v, ldv, _, _, info, _, batch]: [i64; 15],
) -> Outcome {
    let [of_a, of_u, of_v] = [lda * n, ldu * m, ldv * n].map(|elements| elements * kind::bytes(own.kind) as i64);
    let of_s = kind::bytes(own.real()) as i64 * m.min(n);
    (0..batch).try_for_each(|i| {
        let (a, s, u, v) = (a + i * of_a, s + i * of_s, u + i * of_u, v + i * of_v);
        gesvdj(own, [vectors, 0, m, n, a, lda, s, u, ldu, v, ldv, 0, 0, info + 4 * i])
    })
}
