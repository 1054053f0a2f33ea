import { CATCH_UP, KEY_WINDOWS, LEAST_KEYS, MOST_POLL_MS, SPACED_PART } from "../turns.js";

/** The tables and functions of the rate limit store. All times are milliseconds of the window's own time: see `shift`. */
export function rateLimitSteps(prefix: string): readonly string[] {
  const tables = `
CREATE TABLE ${prefix}windows (
  id text PRIMARY KEY,
  shift float8 NOT NULL DEFAULT 0, -- the window's time minus the database's, whose date may be set back
  seen float8 NOT NULL DEFAULT 0, -- the latest time a request was asked for
  blocked_until float8 NOT NULL DEFAULT 0,
  spaced_until float8 NOT NULL DEFAULT 0 -- when a key above its share may have the next place
);
CREATE TABLE ${prefix}places (
  slot bigserial PRIMARY KEY,
  window_id text NOT NULL,
  key text NOT NULL,
  batch boolean NOT NULL,
  frees_at float8 NOT NULL, -- while the request is in flight: when its lease ends
  answered boolean NOT NULL DEFAULT false
);
CREATE INDEX ${prefix}places_by_time ON ${prefix}places (window_id, frees_at);
CREATE TABLE ${prefix}waiters (
  window_id text NOT NULL,
  key text NOT NULL,
  batch boolean NOT NULL,
  since float8 NOT NULL,
  ends_at float8 NOT NULL, -- when its turn is no longer kept
  PRIMARY KEY (window_id, key, batch)
);
CREATE TABLE ${prefix}keys (
  window_id text NOT NULL,
  key text NOT NULL,
  seen float8 NOT NULL,
  PRIMARY KEY (window_id, key)
);
`;
  return [tables + dateFunction(prefix) + reserveFunction(prefix) + settleFunction(prefix) + blockFunction(prefix)];
}

/** Removes what windows leave that nobody asks for any more: tokens that rotate would otherwise leave a row each. */
export function rateLimitTidy(prefix: string): string {
  const old = `(SELECT id FROM ${prefix}windows WHERE seen < extract(epoch FROM clock_timestamp()) * 1000 - 86400000)`;
  const tables = ["places", "waiters", "keys"].map(
    (table) => `DELETE FROM ${prefix}${table} WHERE window_id IN ${old};`,
  );
  return `${tables.join("\n")}\nDELETE FROM ${prefix}windows WHERE id IN ${old};`;
}

/** The statements that use the functions: one round trip each. */
export function rateLimitStatements(prefix: string): { reserve: string; settle: string; block: string } {
  return {
    reserve: `SELECT * FROM ${prefix}reserve_1($1, $2, $3, $4, $5, $6, $7, $8)`,
    settle: `SELECT ${prefix}settle_1($1, $2, $3, $4)`,
    block: `SELECT ${prefix}block_1($1, $2)`,
  };
}

// Versions of functions have names of their own, so that processes of two versions can run side by side. The last
// grants before a crash of the database may be lost: waiting for the disk would cost every request some milliseconds.
const NO_DISK = `PERFORM set_config('synchronous_commit', 'off', true);`;

const dateFunction = (prefix: string): string => `
CREATE OR REPLACE FUNCTION ${prefix}date_1() RETURNS float8 LANGUAGE sql VOLATILE AS
$f$ SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::float8 $f$;
`;

const reserveFunction = (prefix: string): string => `
CREATE OR REPLACE FUNCTION ${prefix}reserve_1(
  the_window text, the_key text, in_turn boolean, is_batch boolean,
  requests float8, batch_requests float8, window_ms float8, lease_ms float8,
  -- The slot of the place; else when to ask again, in milliseconds from now, and whether the window is blocked.
  OUT slot text, OUT wait_ms float8, OUT blocked boolean, OUT used int, OUT reset_ms float8
) LANGUAGE plpgsql AS $f$
DECLARE
  at_now float8;
  blocked_at float8;
  spaced float8;
  space_at float8;
  spacing float8 := window_ms / (greatest(1, requests) * ${SPACED_PART});
  is_spaced boolean := false;
  batch_used int;
  own int;
  ahead float8 := 0;
  batch_ahead float8 := 0;
  mine float8;
  known int;
  is_free boolean;
  free_at float8;
  batch_at float8;
  poll float8 := ceil(greatest(5, least(${MOST_POLL_MS}, window_ms / greatest(1, requests) / 2)));
  new_slot bigint;
BEGIN
  ${NO_DISK}
  -- This row is the lock of the window. Its time never goes backwards: a date that is set back adds to shift.
  INSERT INTO ${prefix}windows AS w (id, seen) VALUES (the_window, 0) ON CONFLICT (id) DO NOTHING;
  PERFORM 1 FROM ${prefix}windows WHERE id = the_window FOR UPDATE;
  UPDATE ${prefix}windows SET
    seen = greatest(seen, ${prefix}date_1() + shift),
    shift = greatest(shift, seen - ${prefix}date_1())
  WHERE id = the_window RETURNING seen, blocked_until, spaced_until INTO at_now, blocked_at, spaced;
  DELETE FROM ${prefix}places WHERE window_id = the_window AND frees_at <= at_now;
  SELECT count(*), count(*) FILTER (WHERE batch), count(*) FILTER (WHERE key = the_key),
    min(frees_at) FILTER (WHERE answered) - at_now
  INTO used, batch_used, own, reset_ms FROM ${prefix}places WHERE window_id = the_window;
  blocked := blocked_at > at_now;
  IF blocked THEN
    wait_ms := blocked_at - at_now;
    reset_ms := wait_ms;
    RETURN;
  END IF;

  IF in_turn THEN
    INSERT INTO ${prefix}keys AS k VALUES (the_window, the_key, at_now)
    ON CONFLICT (window_id, key) DO UPDATE SET seen = at_now WHERE k.seen < at_now - window_ms;
    SELECT count(*) INTO known FROM ${prefix}keys
    WHERE window_id = the_window AND seen > at_now - ${KEY_WINDOWS} * window_ms;
    is_spaced := own >= requests / greatest(${LEAST_KEYS}, known);
    space_at := greatest(spaced, at_now - window_ms / ${CATCH_UP});
    SELECT coalesce((SELECT since FROM ${prefix}waiters
      WHERE window_id = the_window AND key = the_key AND batch = is_batch), at_now) INTO mine;
    -- Who goes first: interactive before batch, then who has fewer places, then who waits longer.
    SELECT count(*), count(*) FILTER (WHERE batch) INTO ahead, batch_ahead FROM (
      SELECT w.batch, w.since, (SELECT count(*) FROM ${prefix}places p
        WHERE p.window_id = the_window AND p.key = w.key) AS held
      FROM ${prefix}waiters w
      WHERE w.window_id = the_window AND w.ends_at > at_now AND NOT (w.key = the_key AND w.batch = is_batch)
    ) AS others
    WHERE batch < is_batch OR (batch = is_batch AND (held < own OR (held = own AND since < mine)));
  END IF;

  is_free := used < requests - ahead AND (NOT is_batch OR batch_used < batch_requests - batch_ahead);
  IF is_free AND NOT (is_spaced AND space_at > at_now) THEN
    IF in_turn THEN
      UPDATE ${prefix}windows SET spaced_until = space_at + spacing WHERE id = the_window;
      DELETE FROM ${prefix}waiters WHERE window_id = the_window AND key = the_key AND batch = is_batch;
    END IF;
    INSERT INTO ${prefix}places AS p (window_id, key, batch, frees_at)
    VALUES (the_window, the_key, is_batch, at_now + lease_ms) RETURNING p.slot INTO new_slot;
    slot := new_slot::text;
    used := used + 1;
    RETURN;
  END IF;

  free_at := at_now;
  IF used >= requests - ahead THEN
    SELECT frees_at INTO free_at FROM ${prefix}places WHERE window_id = the_window AND answered
    ORDER BY frees_at OFFSET (used - (requests - ahead))::bigint LIMIT 1;
  END IF;
  IF is_batch AND batch_used >= batch_requests - batch_ahead THEN
    SELECT frees_at INTO batch_at FROM ${prefix}places WHERE window_id = the_window AND answered AND batch
    ORDER BY frees_at OFFSET (batch_used - (batch_requests - batch_ahead))::bigint LIMIT 1;
    free_at := CASE WHEN free_at IS NULL OR batch_at IS NULL THEN NULL ELSE greatest(free_at, batch_at) END;
  END IF;
  IF in_turn THEN
    free_at := coalesce(free_at, at_now + poll);
    -- The keys before this one may not come.
    IF used < requests AND (NOT is_batch OR batch_used < batch_requests) THEN
      free_at := least(free_at, at_now + poll);
    END IF;
    IF is_spaced THEN
      free_at := greatest(free_at, space_at + ahead * spacing);
    END IF;
    INSERT INTO ${prefix}waiters AS w VALUES (the_window, the_key, is_batch, at_now,
      free_at + ceil(greatest(20, least(1000, window_ms / 100))))
    ON CONFLICT (window_id, key, batch) DO UPDATE SET
      since = CASE WHEN w.ends_at > at_now THEN w.since ELSE at_now END, ends_at = excluded.ends_at;
  END IF;
  wait_ms := ceil(free_at - at_now);
END $f$;
`;

const settleFunction = (prefix: string): string => `
CREATE OR REPLACE FUNCTION ${prefix}settle_1(the_window text, the_slot bigint, is_sent boolean, window_ms float8)
RETURNS void LANGUAGE plpgsql AS $f$
BEGIN
  ${NO_DISK}
  IF is_sent THEN
    UPDATE ${prefix}places SET answered = true, frees_at = window_ms + ${prefix}date_1() + coalesce(
      (SELECT shift FROM ${prefix}windows WHERE id = the_window), 0)
    WHERE slot = the_slot AND window_id = the_window AND NOT answered;
  ELSE
    DELETE FROM ${prefix}places WHERE slot = the_slot AND window_id = the_window AND NOT answered;
  END IF;
END $f$;
`;

const blockFunction = (prefix: string): string => `
CREATE OR REPLACE FUNCTION ${prefix}block_1(the_window text, ms float8) RETURNS void LANGUAGE plpgsql AS $f$
BEGIN
  ${NO_DISK}
  INSERT INTO ${prefix}windows AS w (id, seen, blocked_until) VALUES (the_window, ${prefix}date_1(), ${prefix}date_1() + ms)
  ON CONFLICT (id) DO UPDATE SET blocked_until = greatest(w.blocked_until, ${prefix}date_1() + w.shift + ms);
END $f$;
`;
