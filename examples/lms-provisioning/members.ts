import { DatabaseSync } from "node:sqlite";
import type { LearningPlatform, Member } from "./learning-platform.ts";

/** The members that the learning platform has, by enrollment. */
export interface Members {
  /** The enrollments that have a member. */
  ids(): number[];
  /** Adds or updates a member; false if the platform already has exactly this. */
  put(enrollmentId: number, member: Member): Promise<boolean>;
  /** Removes the member of an enrollment; false if there is none. */
  remove(enrollmentId: number): Promise<boolean>;
  close(): void;
}

/**
 * Records in an SQLite file which members the platform has. The platform is updated first, so after a kill both steps
 * are repeated.
 */
export function openMembers(path: string, platform: LearningPlatform): Members {
  const database = new DatabaseSync(path, { timeout: 1_000 });
  database.exec("CREATE TABLE IF NOT EXISTS members (enrollment_id INTEGER PRIMARY KEY, member TEXT NOT NULL) STRICT");
  const ids = database.prepare("SELECT enrollment_id FROM members");
  const remember = database.prepare("INSERT OR REPLACE INTO members VALUES (?, ?)");
  const recall = database.prepare("SELECT member FROM members WHERE enrollment_id = ?");
  const forget = database.prepare("DELETE FROM members WHERE enrollment_id = ?");
  // A student may be enrolled twice in one course, and stays a member while one of the enrollments lasts.
  const others = database.prepare(`SELECT 1 FROM members
    WHERE enrollment_id <> ? AND member ->> 'courseId' = ? AND member ->> 'studentId' = ?`);
  async function leave(id: number, { courseId, studentId }: Member): Promise<void> {
    if (!others.get(id, courseId, studentId)) await platform.removeMember(courseId, studentId);
  }
  const textOf = (id: number) => (recall.get(id)?.member ?? null) as string | null;
  return {
    ids: () => ids.all().map(({ enrollment_id }) => enrollment_id as number),
    async put(id, member) {
      const text = JSON.stringify(member);
      const before = textOf(id);
      if (before === text) return false;
      await platform.addMember(member);
      const old: Member | null = before === null ? null : JSON.parse(before);
      const moved = old !== null && (old.courseId !== member.courseId || old.studentId !== member.studentId);
      if (moved) await leave(id, old);
      remember.run(id, text);
      return true;
    },
    async remove(id) {
      const before = textOf(id);
      if (before === null) return false;
      await leave(id, JSON.parse(before));
      forget.run(id);
      return true;
    },
    close: () => database.close(),
  };
}
