/** What the parts that use a caller's SQLite have in common: how a connection is opened, and rows of drivers. */

/** Rows with numbers in place of the BigInts that some drivers are set to give. */
export function plainRows<Row>(rows: readonly unknown[]): readonly Row[] {
  for (const row of rows as Record<string, unknown>[]) {
    for (const name in row) if (typeof row[name] === "bigint") row[name] = Number(row[name]);
  }
  return rows as readonly Row[];
}

/** Whether another process holds the file. */
export function isBusy(error: unknown): boolean {
  return /locked|busy/i.test(String(error));
}

/**
 * Sets how a connection writes: with a write-ahead log, so that readers do not wait.
 * @param busyMs for so long each statement waits for other processes; this process stands still meanwhile.
 * @param synchronous what survives a power cut: FULL everything, NORMAL all but the last moments.
 */
export function openSqlite(
  connection: { exec(sql: string): unknown },
  busyMs: number,
  synchronous: "FULL" | "NORMAL",
): void {
  connection.exec(`PRAGMA busy_timeout = ${busyMs}`);
  for (let left = 100; ; left--) {
    try {
      connection.exec("PRAGMA journal_mode = WAL");
      break;
    } catch (error) {
      // SQLite does not wait for other processes here; a write that changes nothing does.
      if (left === 0 || !isBusy(error)) throw error;
      connection.exec("BEGIN IMMEDIATE; ROLLBACK");
    }
  }
  connection.exec(`PRAGMA synchronous = ${synchronous}`);
}

/** Ends a transaction that failed. */
export function rollBack(connection: { exec(sql: string): unknown }): void {
  try {
    connection.exec("ROLLBACK");
  } catch {
    // Some failures have ended the transaction already.
  }
}
