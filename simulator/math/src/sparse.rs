//! cuSPARSE: products, sums, solves and conversions of matrices of which the elements that are not 0 are listed.
use crate::answer::{Answer, C, Numbers, answers, number, sizes};
use crate::cublas::list;
use crate::failure::{Failure, Outcome};
use crate::handle::{Handle, change, insert, kind, out, state};
use crate::layout::Raw;
use std::collections::BTreeMap;
use std::ffi::{CStr, c_char, c_int};
use std::sync::{Mutex, PoisonError};

type I = c_int;
type J = i64;
type P = i64;

cuda::cusparse!(answers; "cusparse" of_cusparse);
cuda::cusparse_sizes!(sizes; "cusparse");

/// The version whose functions are here.
const VERSION: c_int = 12_500;
/// Names of results.
const RESULTS: &[&CStr] = cuda::cusparse_results!(list);

/// The name of a result, which its words are too.
fn name_of(status: c_int) -> *const c_char {
    RESULTS.get(status as usize).unwrap_or(&c"unknown error").as_ptr()
}

cuda::c_functions! {
    cusparseGetErrorName(status: c_int) -> *const c_char => name_of(status);
    cusparseGetErrorString(status: c_int) -> *const c_char => name_of(status);
}

/// How elements are listed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Form {
    #[default]
    Csr,
    Csc,
    Coo,
}

/// A matrix or a vector: addresses of offsets (or rows), indices and values, and the types of each.
#[derive(Clone, Copy, Debug, Default)]
struct Described {
    form: Form,
    shape: [i64; 2],
    count: i64,
    at: [i64; 3],
    kinds: [c_int; 3],
    base: i64,
    /// A dense matrix has so many elements from a column to the next, or from a row where it lies by rows.
    ld: i64,
    is_by_rows: bool,
    is_upper: bool,
    is_unit: bool,
}

/// An element: its row, its column, its value.
type Element = (i64, i64, C);

fn described() -> std::sync::MutexGuard<'static, (usize, BTreeMap<usize, Described>)> {
    static ALL: Mutex<(usize, BTreeMap<usize, Described>)> = Mutex::new((0, BTreeMap::new()));
    ALL.lock().unwrap_or_else(PoisonError::into_inner)
}

fn find(number: i64) -> Result<Described, Failure> {
    described().1.get(&(number as usize)).copied().ok_or(Failure::Invalid)
}

/// Makes a descriptor. Its place is the first argument.
fn describe(own: &mut Answer, new: Described) -> Outcome {
    let mut all = described();
    all.0 += 1;
    let number = all.0;
    all.1.insert(number, new);
    unsafe { out(own.handle.cast::<usize>(), number) }
}

/// Changes the descriptor that is the first argument.
fn changed(number: i64, change: impl FnOnce(&mut Described)) -> Outcome {
    described().1.get_mut(&(number as usize)).map(change).ok_or(Failure::Invalid)
}

/// The `cudaDataType` of a `cusparseIndexType_t`.
fn index(kind: i64) -> Result<c_int, Failure> {
    refuse_if!(!(2..=3).contains(&kind), Failure::Lacking("with indices of 16 bits".into()));
    Ok([kind::S32, kind::S64][kind as usize - 2])
}

fn listed(own: &mut Answer, form: Form, [rows, columns, count, a, b, c, of_a, of_b, base, kind]: [i64; 10]) -> Outcome {
    let kinds = [index(of_a)?, index(of_b)?, kind as c_int];
    let (shape, at) = ([rows, columns], [a, b, c]);
    describe(own, Described { form, shape, count, at, kinds, base, ..Described::default() })
}
fn dense(own: &mut Answer, [rows, columns, ld, values, kind, order]: [i64; 6]) -> Outcome {
    let (shape, is_by_rows) = ([rows, columns], order == 2);
    let kinds = [0, 0, kind as c_int];
    describe(own, Described { shape, ld, is_by_rows, at: [0, 0, values], kinds, ..Described::default() })
}
fn set_attribute(own: &mut Answer, [attribute, value, _]: [i64; 3]) -> Outcome {
    let value = unsafe { (value as *const c_int).read() } != 0;
    changed(own.handle as i64, |matrix| {
        *[&mut matrix.is_upper, &mut matrix.is_unit][usize::from(attribute != 0)] = value
    })
}
fn size_of(own: &mut Answer, to: [i64; 3]) -> Outcome {
    let Described { shape: [rows, columns], count, .. } = find(own.handle as i64)?;
    to.iter().zip([rows, columns, count]).try_for_each(|(to, value)| unsafe { out(*to as *mut i64, value) })
}

/// Rows of elements that offsets count.
fn rows_of(offsets: &[i64]) -> Vec<i64> {
    let counts = offsets.windows(2).map(|pair| (pair[1] - pair[0]).max(0) as usize);
    counts.enumerate().flat_map(|(row, count)| std::iter::repeat_n(row as i64, count)).collect()
}

/// Offsets that count elements of rows.
fn offsets_of(rows: &[i64], count: i64, base: i64) -> Vec<i64> {
    let mut offsets = vec![base; count as usize + 1];
    rows.iter().for_each(|row| offsets[*row as usize + 1] += 1);
    (1..offsets.len()).for_each(|row| offsets[row] += offsets[row - 1] - base);
    offsets
}

impl Described {
    /// Elements as they are listed. Without an address of values they are 0.
    fn elements(&self, own: &mut Answer) -> Result<Vec<Element>, Failure> {
        let major = if self.form == Form::Csc { self.shape[1] } else { self.shape[0] };
        let rows = if self.form == Form::Coo {
            own.integers(self.kinds[0], self.at[0], self.count)?.iter().map(|row| row - self.base).collect()
        } else {
            rows_of(&own.integers(self.kinds[0], self.at[0], major + 1)?)
        };
        let count = rows.len() as i64;
        let minor = own.integers(self.kinds[1], self.at[1], count)?;
        let values = match self.at[2] {
            0 => vec![C::default(); rows.len()],
            values => own.row(self.kinds[2], values, count)?,
        };
        let place = |row: i64, column: i64| if self.form == Form::Csc { (column, row) } else { (row, column) };
        let all = rows.iter().zip(minor).zip(values).map(|((row, column), value)| {
            let (row, column) = place(*row, column - self.base);
            (row, column, value)
        });
        let all: Vec<Element> = all.collect();
        let is_inside =
            |(row, column, _): &Element| (0..self.shape[0]).contains(row) && (0..self.shape[1]).contains(column);
        refuse_if!(!all.iter().all(is_inside), Failure::Invalid);
        Ok(all)
    }

    /// Lists elements, in order.
    fn list(&self, own: &mut Answer, mut elements: Vec<Element>) -> Outcome {
        let is_turned = self.form == Form::Csc;
        elements.sort_by_key(|(row, column, _)| if is_turned { (*column, *row) } else { (*row, *column) });
        let (major, minor): (Vec<i64>, Vec<i64>) =
            elements.iter().map(|(row, column, _)| if is_turned { (*column, *row) } else { (*row, *column) }).unzip();
        let first = match self.form {
            Form::Coo => major.iter().map(|row| row + self.base).collect(),
            _ => offsets_of(&major, self.shape[usize::from(is_turned)], self.base),
        };
        own.put_integers(self.kinds[0], self.at[0], first)?;
        if self.at[1] != 0 {
            own.put_integers(self.kinds[1], self.at[1], minor.iter().map(|column| column + self.base))?;
        }
        if self.at[2] != 0 {
            own.put_row(self.kinds[2], self.at[2], elements.iter().map(|(.., value)| *value))?;
        }
        Ok(())
    }

    fn read(&self, own: &mut Answer) -> Result<Numbers, Failure> {
        let [rows, columns] = self.shape;
        match self.is_by_rows {
            true => Ok(own.of_kind(self.kinds[2], self.at[2], self.ld, [columns, rows])?.transpose()),
            false => own.of_kind(self.kinds[2], self.at[2], self.ld, self.shape),
        }
    }

    fn write(&self, own: &mut Answer, values: &Numbers) -> Outcome {
        let turned = self.is_by_rows.then(|| values.transpose());
        own.put_kind(self.kinds[2], self.at[2], self.ld, turned.as_ref().unwrap_or(values))
    }
}

/// A factor, which may lie on the card.
fn factor(own: &mut Answer, at: i64, kind: i64) -> Result<C, Failure> {
    refuse_if!(at == 0, Failure::Invalid);
    own.begin()?;
    unsafe { number(at as *const _, kind as c_int) }
}

/// A matrix as an operation makes it.
fn operated(matrix: Numbers, operation: i64) -> Numbers {
    match operation {
        0 => matrix,
        1 => matrix.transpose(),
        _ => matrix.adjoint(),
    }
}

fn spmm(own: &mut Answer, [operation, of_b, alpha, a, b, beta, c, computed, _, _]: [i64; 10]) -> Outcome {
    let (a, b, c) = (find(a)?, find(b)?, find(c)?);
    let (alpha, beta) = (factor(own, alpha, computed)?, factor(own, beta, computed)?);
    let (elements, b) = (a.elements(own)?, operated(b.read(own)?, of_b));
    let [rows, inner] = if operation == 0 { a.shape } else { [a.shape[1], a.shape[0]] };
    refuse_if!(b.shape() != (inner as usize, c.shape[1] as usize) || rows != c.shape[0], Failure::Invalid);
    let mut result = Numbers::zeros(rows as usize, c.shape[1] as usize);
    if beta != C::default() {
        result = c.read(own)? * beta;
    }
    for (row, column, value) in elements {
        let (to, from) = if operation == 0 { (row, column) } else { (column, row) };
        let value = alpha * if operation == 2 { value.conj() } else { value };
        for other in 0..result.ncols() {
            result[(to as usize, other)] += value * b[(from as usize, other)];
        }
    }
    c.write(own, &result)
}

/// Elements that have one place are added.
fn summed(elements: impl IntoIterator<Item = Element>) -> Vec<Element> {
    let mut sums = BTreeMap::new();
    elements.into_iter().for_each(|(row, column, value)| *sums.entry((row, column)).or_insert(C::default()) += value);
    sums.into_iter().map(|((row, column), value)| (row, column, value)).collect()
}

fn multiplied(
    own: &mut Answer,
    [of_a, of_b, alpha, a, b, beta, _, computed, _, _]: [i64; 10],
) -> Result<Vec<Element>, Failure> {
    let (alpha, beta) = (factor(own, alpha, computed)?, factor(own, beta, computed)?);
    let is_plain = of_a == 0 && of_b == 0 && beta == C::default();
    refuse_if!(!is_plain, Failure::Lacking("for a transpose or a sum".into()));
    let (left, right) = (find(a)?.elements(own)?, find(b)?.elements(own)?);
    let mut by_row: BTreeMap<i64, Vec<(i64, C)>> = BTreeMap::new();
    right.iter().for_each(|(row, column, value)| by_row.entry(*row).or_default().push((*column, *value)));
    let products = left.iter().flat_map(|(row, inner, value)| {
        let others = by_row.get(inner).map_or(&[][..], Vec::as_slice);
        others.iter().map(move |(column, other)| (*row, *column, alpha * value * other))
    });
    Ok(summed(products))
}
fn spgemm_compute(own: &mut Answer, [a, b, c, d, e, f, g, h, i, j, size, work]: [i64; 12]) -> Outcome {
    if work == 0 {
        return unsafe { out(size as *mut usize, 1) };
    }
    let count = multiplied(own, [a, b, c, d, e, f, g, h, i, j])?.len();
    changed(g, |matrix| matrix.count = count as i64)
}
fn spgemm_copy(own: &mut Answer, arguments: [i64; 10]) -> Outcome {
    let products = multiplied(own, arguments)?;
    find(arguments[6])?.list(own, products)
}

fn spsm(own: &mut Answer, [operation, of_b, alpha, a, b, c, computed, _, _]: [i64; 9]) -> Outcome {
    let (a, c, alpha) = (find(a)?, find(c)?, factor(own, alpha, computed)?);
    let mut x = operated(find(b)?.read(own)?, of_b) * alpha;
    let mut matrix = Numbers::zeros(a.shape[0] as usize, a.shape[1] as usize);
    a.elements(own)?.iter().for_each(|(row, column, value)| matrix[(*row as usize, *column as usize)] += value);
    if a.is_unit {
        matrix.fill_diagonal(C::new(1.0, 0.0));
    }
    let matrix = operated(matrix, operation);
    match a.is_upper == (operation == 0) {
        true => matrix.solve_upper_triangular_unchecked_mut(&mut x),
        false => matrix.solve_lower_triangular_unchecked_mut(&mut x),
    }
    c.write(own, &x)
}

fn to_dense(own: &mut Answer, [a, b, _, _]: [i64; 4]) -> Outcome {
    let (a, b) = (find(a)?, find(b)?);
    let mut values = Numbers::zeros(a.shape[0] as usize, a.shape[1] as usize);
    a.elements(own)?.iter().for_each(|(row, column, value)| values[(*row as usize, *column as usize)] += value);
    b.write(own, &values)
}
fn not_zero(own: &mut Answer, dense: i64) -> Result<Vec<Element>, Failure> {
    let values = find(dense)?.read(own)?;
    let places = (0..values.ncols()).flat_map(|column| (0..values.nrows()).map(move |row| (row, column)));
    let all = places.map(|place| (place.0 as i64, place.1 as i64, values[place]));
    Ok(all.filter(|(.., value)| *value != C::default()).collect())
}
fn counted(own: &mut Answer, [dense, sparse, _, _]: [i64; 4]) -> Outcome {
    let elements = not_zero(own, dense)?;
    changed(sparse, |matrix| matrix.count = elements.len() as i64)
}
fn to_sparse(own: &mut Answer, [dense, sparse, _, _]: [i64; 4]) -> Outcome {
    let elements = not_zero(own, dense)?;
    find(sparse)?.list(own, elements)
}

/// A matrix of functions that have no descriptors of matrices: compressed rows, with indices of 32 bits.
fn plain(shape: [i64; 2], at: [i64; 3], base: i64, kind: c_int) -> Described {
    Described { shape, at, base, kinds: [kind::S32, kind::S32, kind], ..Described::default() }
}

fn csr2csc(own: &mut Answer, [m, n, _, values, a, b, to, c, d, kind, copies, base, _, _]: [i64; 14]) -> Outcome {
    let [values, to] = if copies == 0 { [0, 0] } else { [values, to] };
    let elements = plain([m, n], [a, b, values], base, kind as c_int).elements(own)?;
    Described { form: Form::Csc, ..plain([m, n], [c, d, to], base, kind as c_int) }.list(own, elements)
}
fn coo2csr(own: &mut Answer, [rows, count, m, offsets, base]: [i64; 5]) -> Outcome {
    let rows: Vec<i64> = own.integers(kind::S32, rows, count)?.iter().map(|row| row - base).collect();
    refuse_if!(!rows.iter().all(|row| (0..m).contains(row)), Failure::Invalid);
    own.put_integers(kind::S32, offsets, offsets_of(&rows, m, base))
}
fn csr2coo(own: &mut Answer, [offsets, _, m, rows, base]: [i64; 5]) -> Outcome {
    let all = rows_of(&own.integers(kind::S32, offsets, m + 1)?);
    own.put_integers(kind::S32, rows, all.iter().map(|row| row + base))
}

/// Orders two lists of indices by the first and the second, and the permutation with them. The first is not written where it has no address.
fn ordered(own: &mut Answer, major: &[i64], to_major: i64, to_minor: i64, permutation: i64) -> Outcome {
    let count = major.len() as i64;
    let (minor, old) = (own.integers(kind::S32, to_minor, count)?, own.integers(kind::S32, permutation, count)?);
    let mut order: Vec<usize> = (0..major.len()).collect();
    order.sort_by_key(|i| (major[*i], minor[*i]));
    if to_major != 0 {
        own.put_integers(kind::S32, to_major, order.iter().map(|i| major[*i]))?;
    }
    own.put_integers(kind::S32, to_minor, order.iter().map(|i| minor[*i]))?;
    own.put_integers(kind::S32, permutation, order.iter().map(|i| old[*i]))
}
fn csrsort(own: &mut Answer, [m, _, _, _, offsets, indices, permutation, _]: [i64; 8]) -> Outcome {
    let rows = rows_of(&own.integers(kind::S32, offsets, m + 1)?);
    ordered(own, &rows, 0, indices, permutation)
}
fn coosort_by_row(own: &mut Answer, [_, _, count, rows, columns, permutation, _]: [i64; 7]) -> Outcome {
    let major = own.integers(kind::S32, rows, count)?;
    ordered(own, &major, rows, columns, permutation)
}
fn gather(own: &mut Answer, [y, x]: [i64; 2]) -> Outcome {
    let (y, x) = (find(y)?, find(x)?);
    let (from, indices) = (y.read(own)?, own.integers(x.kinds[1], x.at[1], x.count)?);
    refuse_if!(!indices.iter().all(|i| (0..y.shape[0]).contains(&(i - x.base))), Failure::Invalid);
    own.put_row(x.kinds[2], x.at[2], indices.iter().map(|i| from[(i - x.base) as usize]))
}

fn geam_count(own: &mut Answer, arguments: [i64; 14]) -> Outcome {
    let [m, n, of_a, _, offsets_a, a, of_b, _, offsets_b, b, of_c, offsets, to, _] = arguments;
    let left = plain([m, n], [offsets_a, a, 0], find(of_a)?.base, 0).elements(own)?;
    let right = plain([m, n], [offsets_b, b, 0], find(of_b)?.base, 0).elements(own)?;
    let all = summed(left.into_iter().chain(right));
    let count = all.len() as i64;
    plain([m, n], [offsets, 0, 0], find(of_c)?.base, 0).list(own, all)?;
    match state(own.handle)?.pointer_mode {
        0 => unsafe { out(to as *mut c_int, count as c_int) },
        _ => own.put_integers(kind::S32, to, [count]),
    }
}
fn geam(own: &mut Answer, arguments: [i64; 19]) -> Outcome {
    let [m, n, alpha, of_a, _, a, offsets_a, in_a, beta, of_b, _, b, offsets_b, in_b, of_c, c, offsets_c, in_c, _] =
        arguments;
    let kind = own.kind;
    let (alpha, beta) = (factor(own, alpha, kind.into())?, factor(own, beta, kind.into())?);
    let left = plain([m, n], [offsets_a, in_a, a], find(of_a)?.base, kind).elements(own)?;
    let right = plain([m, n], [offsets_b, in_b, b], find(of_b)?.base, kind).elements(own)?;
    let times = |all: Vec<Element>, by: C| all.into_iter().map(move |(row, column, value)| (row, column, by * value));
    let all = summed(times(left, alpha).chain(times(right, beta)));
    plain([m, n], [offsets_c, in_c, c], find(of_c)?.base, kind).list(own, all)
}
