import { POSTGRES } from "../dialects.js";
import { copiesSql } from "../sql-inbox.js";
import { schemaPrefix } from "./connection.js";

/**
 * The functions of the inbox. Each version of a function has its own name, because processes of earlier releases may
 * still call theirs.
 */
export function inboxFunctions(prefix: string, schema: string | undefined): string {
  const at = `${schemaPrefix(schema)}${prefix}`;
  const deliveries = `${at}deliveries`;
  // The lock makes deliveries of the same record wait for each other, because each must see the previous one. Commits
  // synchronously, so that an accepted delivery is on disk.
  const put = `
CREATE OR REPLACE FUNCTION ${at}put_1(id text, event text, payload text, received_at float8, sent_at float8, record text, fold_key text)
RETURNS boolean LANGUAGE plpgsql AS $f$
#variable_conflict use_variable
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('${deliveries} ' || coalesce(record, id), 0));
  PERFORM set_config('synchronous_commit', 'on', true) WHERE current_setting('synchronous_commit') = 'off';
  INSERT INTO ${deliveries} (id, event, payload, received_at, sent_at, record, fold_key)
  SELECT id, event, payload, received_at, sent_at, record, fold_key
  WHERE NOT EXISTS (${copiesSql(deliveries, "fold_key", "coalesce(sent_at, received_at)")})
  ON CONFLICT DO NOTHING;
  RETURN FOUND;
END $f$;
`;
  // The lock makes takers wait for each other, because two at once could take two deliveries of one record.
  const take = `
CREATE FUNCTION ${at}take_2(most int, lease_ms float8, one_per_record boolean, keep_ms float8, longest_ms float8) RETURNS TABLE (
  id text, event text, payload text, received_at float8, sent_at float8, attempt int, db_now float8
) LANGUAGE plpgsql AS $f$
#variable_conflict use_column
DECLARE
  at_now float8;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('${deliveries}', 0));
  at_now := floor(extract(epoch FROM clock_timestamp()) * 1000);
  IF keep_ms IS NOT NULL THEN
    DELETE FROM ${deliveries} WHERE state <> 'waiting' AND ended_at < at_now - keep_ms;
    DELETE FROM ${at}records WHERE handled_at < at_now - keep_ms;
    UPDATE ${deliveries} SET available_at = 0
    WHERE state = 'waiting' AND available_at > at_now + longest_ms;
  END IF;
  RETURN QUERY
  UPDATE ${deliveries} AS taken SET attempt = taken.attempt + 1, leased = true, available_at = at_now + lease_ms
  FROM (
    SELECT free.place FROM (
      SELECT one.place, one.available_at, row_number() OVER (
        PARTITION BY CASE WHEN one_per_record THEN coalesce(one.record, one.id) ELSE one.id END
        -- First one whose process ended: its listener may have succeeded, and an older one after it would go backwards.
        ORDER BY one.leased DESC, one.received_at, one.place) AS turn
      FROM ${deliveries} AS one
      WHERE one.state = 'waiting' AND one.available_at <= at_now AND NOT (one_per_record AND EXISTS (
        SELECT 1 FROM ${deliveries} AS other
        WHERE other.record = one.record AND other.state = 'waiting' AND other.leased AND other.available_at > at_now))
    ) AS free
    WHERE free.turn = 1 ORDER BY free.available_at, free.place LIMIT most
  ) AS chosen
  WHERE taken.place = chosen.place
  RETURNING taken.id, taken.event, taken.payload, taken.received_at, taken.sent_at, taken.attempt, at_now;
END $f$;
`;
  return put + take;
}

export function inboxStatements(prefix: string, schema: string | undefined) {
  const at = `${schemaPrefix(schema)}${prefix}`;
  const [deliveries, records] = [`${at}deliveries`, `${at}records`];
  const { now } = POSTGRES;
  return {
    deliveries,
    records,
    put: `SELECT 1 FROM ${at}put_1(?, ?, ?, ?, ?, ?, ?) AS stored WHERE stored`,
    take: `SELECT * FROM ${at}take_2(?, ?, ?, ?, ?)`,
    // Removes the body of a handled delivery, because it may contain personal data. The row stays so that duplicates
    // are recognized.
    done: `
      WITH ended AS (
        UPDATE ${deliveries} SET state = 'done', leased = false, payload = '', ended_at = ${now} WHERE id = $1
      )
      INSERT INTO ${records} AS known SELECT $2, $3::float8, ${now} WHERE $2::text IS NOT NULL
      ON CONFLICT (record) DO UPDATE SET
        updated_at = greatest(known.updated_at, excluded.updated_at), handled_at = excluded.handled_at`,
  };
}
