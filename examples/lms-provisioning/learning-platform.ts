/** What a learning platform must be able to do. Both methods may be called twice with the same arguments. */
export interface LearningPlatform {
  addMember(courseId: number, studentId: number): Promise<void>;
  removeMember(courseId: number, studentId: number): Promise<void>;
}

/** A platform with a REST interface: `PUT` and `DELETE` of `/courses/{course}/members/{student}`. */
export function learningPlatform(url: string, token: string): LearningPlatform {
  async function send(method: "PUT" | "DELETE", courseId: number, studentId: number): Promise<void> {
    const answer = await fetch(`${url}/courses/${courseId}/members/${studentId}`, {
      method,
      headers: { authorization: `Bearer ${token}` },
      signal: AbortSignal.timeout(10_000),
    });
    await answer.body?.cancel();
    const done = answer.ok || (method === "DELETE" && answer.status === 404);
    if (!done) throw new Error(`The learning platform answered ${answer.status}`);
  }
  return {
    addMember: (courseId, studentId) => send("PUT", courseId, studentId),
    removeMember: (courseId, studentId) => send("DELETE", courseId, studentId),
  };
}
