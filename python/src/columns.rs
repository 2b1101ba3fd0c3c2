//! Values of Arrow columns.
use arrow_array::cast::AsArray;
use arrow_array::types::GenericBinaryType;
use arrow_array::{Array, ArrayRef};

/// Returns the page of a row without copying it, and its charset if the column is text. Returns `None` for a null or a row beyond the
/// end, and an error for a column of another type.
#[allow(clippy::type_complexity)]
pub fn slice_at(column: &ArrayRef, row: usize) -> Result<Option<(&[u8], Option<&'static str>)>, ()> {
    use arrow_schema::DataType;
    let there = row < column.len() && !column.is_null(row);
    let utf8 = Some("utf-8");
    let page = |bytes: Option<(_, _)>| Ok(bytes);
    match column.data_type() {
        DataType::Utf8 => page(there.then(|| (column.as_string::<i32>().value(row).as_bytes(), utf8))),
        DataType::LargeUtf8 => page(there.then(|| (column.as_string::<i64>().value(row).as_bytes(), utf8))),
        DataType::Utf8View => page(there.then(|| (column.as_string_view().value(row).as_bytes(), utf8))),
        DataType::Binary => page(there.then(|| (column.as_bytes::<GenericBinaryType<i32>>().value(row), None))),
        DataType::LargeBinary => page(there.then(|| (column.as_bytes::<GenericBinaryType<i64>>().value(row), None))),
        DataType::BinaryView => page(there.then(|| (column.as_binary_view().value(row), None))),
        _ => Err(()),
    }
}
