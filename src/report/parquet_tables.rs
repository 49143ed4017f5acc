//! The tidy tables as Parquet: text and numbers with their types, an undefined figure or empty cell as null. Only built
//! with the feature `parquet`.

use std::sync::Arc;

use parquet::basic::{LogicalType, Repetition, Type as Physical};
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;

use super::ReportError;
use super::analysis::Analysis;
use super::csv_table::CsvTable;
use super::records::RunRecords;
use super::table_types::is_text;
use super::tables::tables;

/// Every table as (path relative to the run directory, bytes), in the order of the CSV tables. Numbers are doubles; text is
/// as it is, not defused for spreadsheets.
pub fn parquet_tables(analysis: &Analysis, records: &RunRecords) -> Result<Vec<(String, Vec<u8>)>, ReportError> {
    tables(analysis, records)
        .into_iter()
        .map(|(path, table)| {
            let path = path.replace(".csv", ".parquet");
            let name = path.trim_start_matches("tables/").trim_end_matches(".parquet");
            let bytes = bytes(name, &table).map_err(|error| ReportError::Table {
                name: path.clone(),
                message: error.to_string(),
            })?;
            Ok((path, bytes))
        })
        .collect()
}

fn bytes(name: &str, table: &CsvTable) -> Result<Vec<u8>, ParquetError> {
    let fields = table
        .header
        .iter()
        .map(|column| {
            let (physical, logical) = if is_text(name, column) {
                (Physical::BYTE_ARRAY, Some(LogicalType::String))
            } else {
                (Physical::DOUBLE, None)
            };
            let field = Type::primitive_type_builder(column, physical)
                .with_repetition(Repetition::OPTIONAL)
                .with_logical_type(logical)
                .build()?;
            Ok(Arc::new(field))
        })
        .collect::<Result<Vec<_>, ParquetError>>()?;
    let schema = Type::group_type_builder(name).with_fields(fields).build()?;
    let properties = WriterProperties::builder().build();
    let mut writer = SerializedFileWriter::new(Vec::new(), Arc::new(schema), Arc::new(properties))?;
    let mut group = writer.next_row_group()?;
    for (place, column) in table.header.iter().enumerate() {
        let Some(mut open) = group.next_column()? else { break };
        let cells = || {
            table
                .rows
                .iter()
                .map(|row| row.get(place).map(String::as_str).unwrap_or_default())
        };
        let present: Vec<i16>;
        if is_text(name, column) {
            present = cells().map(|cell| i16::from(!cell.is_empty())).collect();
            let values: Vec<ByteArray> = cells().filter(|cell| !cell.is_empty()).map(ByteArray::from).collect();
            open.typed::<ByteArrayType>()
                .write_batch(&values, Some(&present), None)?;
        } else {
            let numbers: Vec<Option<f64>> = cells().map(|cell| cell.parse().ok()).collect();
            present = numbers.iter().map(|number| i16::from(number.is_some())).collect();
            let values: Vec<f64> = numbers.into_iter().flatten().collect();
            open.typed::<DoubleType>().write_batch(&values, Some(&present), None)?;
        }
        open.close()?;
    }
    group.close()?;
    writer.into_inner()
}
