//! The tables as Parquet hold what those as CSV hold.

use std::io::Write;

use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;
use tabjury::report::{analyze, csv_tables, parquet_tables};

use crate::made_up::records;

#[test]
fn every_cell_of_a_csv_table_is_in_its_parquet() {
    let records = records();
    let analysis = analyze(&records);
    let tables = parquet_tables(&analysis, &records).unwrap();
    let csv_tables = csv_tables(&analysis, &records).unwrap();
    assert_eq!(tables.len(), csv_tables.len());
    let mut numbers = 0;
    for ((path, bytes), (csv_path, csv_bytes)) in tables.into_iter().zip(csv_tables) {
        assert_eq!(path.replace(".parquet", ".csv"), csv_path);
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&bytes).unwrap();
        let reader = SerializedFileReader::new(file).unwrap();
        let mut csv_reader = csv::Reader::from_reader(csv_bytes.as_slice());
        let mut rows = reader.get_row_iter(None).unwrap();
        for record in csv_reader.records() {
            let (record, row) = (record.unwrap(), rows.next().unwrap().unwrap());
            for (cell, (column, value)) in record.iter().zip(row.get_column_iter()) {
                match value {
                    Field::Null => assert_eq!(cell, "", "{path}, {column}"),
                    Field::Double(value) => {
                        numbers += 1;
                        assert_eq!(cell.parse::<f64>().ok(), Some(*value), "{path}, {column}");
                    }
                    Field::Str(value) => assert_eq!(cell.trim_start_matches('\''), value, "{path}, {column}"),
                    other => panic!("{path}, {column}: {other:?}"),
                }
            }
        }
        assert!(rows.next().is_none(), "{path} has more rows");
    }
    assert!(numbers > 500);
}
