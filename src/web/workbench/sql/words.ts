const list = (words: string): readonly string[] => words.trim().split(/\s+/);

/** Of every database that can be asked. */
export const KEYWORDS = list(`
  SELECT DISTINCT FROM WHERE GROUP BY HAVING ORDER LIMIT OFFSET AS ON USING JOIN INNER LEFT RIGHT FULL OUTER CROSS
  NATURAL UNION ALL INTERSECT EXCEPT WITH RECURSIVE VALUES CASE WHEN THEN ELSE END AND OR NOT IN IS NULL TRUE FALSE
  LIKE ILIKE BETWEEN EXISTS ANY ASC DESC NULLS FIRST LAST OVER PARTITION ROWS RANGE PRECEDING FOLLOWING UNBOUNDED
  CURRENT ROW WINDOW FILTER CAST INTERVAL EXPLAIN`);

/** Of the engine in the page. */
export const DUCKDB_KEYWORDS = list(`
  QUALIFY PIVOT UNPIVOT SUMMARIZE DESCRIBE SHOW EXCLUDE REPLACE COLUMNS ASOF POSITIONAL SEMI ANTI LATERAL SAMPLE
  TRY_CAST`);

export const FUNCTIONS = list(`
  count sum avg min max coalesce nullif abs ceil floor round sqrt power exp ln log10 mod sign length lower upper trim
  ltrim rtrim replace substring position row_number rank dense_rank lag lead first_value last_value ntile`);

export const DUCKDB_FUNCTIONS = list(`
  median mode quantile_cont quantile_disc approx_quantile approx_count_distinct stddev stddev_samp stddev_pop variance
  var_samp corr covar_samp skewness kurtosis arg_max arg_min any_value first last list string_agg histogram bool_and
  bool_or date_trunc date_part date_diff date_add strftime strptime epoch_ms make_date age year month day hour minute
  dayname monthname regexp_matches regexp_replace regexp_extract split_part starts_with ends_with contains left right
  lpad rpad reverse repeat list_value list_contains list_aggregate unnest generate_series range greatest least
  if ifnull hash random width_bucket equi_width_bins`);

export const TYPES = list(
  "BOOLEAN INTEGER BIGINT HUGEINT DOUBLE FLOAT DECIMAL VARCHAR DATE TIME TIMESTAMP INTERVAL BLOB UUID",
);
