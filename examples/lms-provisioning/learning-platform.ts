/** A student's place in a course, as the learning platform needs it. */
export interface Member {
  readonly courseId: number;
  readonly studentId: number;
  readonly name: string;
  readonly email: string;
  /** First and last day, yyyy-MM-dd; null without one. */
  readonly starts: string | null;
  readonly ends: string | null;
}

/** The interface of a learning platform. Both methods may be called twice with the same arguments. */
export interface LearningPlatform {
  addMember(member: Member): Promise<void>;
  removeMember(courseId: number, studentId: number): Promise<void>;
}

/** A platform with a REST interface: `PUT` and `DELETE` of `/courses/{course}/members/{student}`. */
export function learningPlatform(url: string, token: string): LearningPlatform {
  async function send(method: "PUT" | "DELETE", courseId: number, studentId: number, body?: object): Promise<void> {
    const answer = await fetch(`${url}/courses/${courseId}/members/${studentId}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body && { "content-type": "application/json" }) },
      body: body ? JSON.stringify(body) : null,
      signal: AbortSignal.timeout(10_000),
    });
    await answer.body?.cancel();
    const done = answer.ok || (method === "DELETE" && answer.status === 404);
    if (!done) throw new Error(`The learning platform answered ${answer.status}`);
  }
  return {
    addMember: ({ courseId, studentId, ...rest }) => send("PUT", courseId, studentId, rest),
    removeMember: (courseId, studentId) => send("DELETE", courseId, studentId),
  };
}
