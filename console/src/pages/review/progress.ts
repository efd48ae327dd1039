import { type Stored, stored } from "@/lib/stored";

export type Decision = { trace_id: string; task: string; result: "pass" | "fail" };
/** What was decided on this tab, oldest first, and what was put off. */
export type Progress = { decided: Decision[]; deferred: string[] };

const known = new Map<string, Stored<Progress>>();

export function progressOf(project: string): Stored<Progress> {
  let made = known.get(project);
  if (!made) {
    made = stored<Progress>(`reflect.review.${project}`, { decided: [], deferred: [] });
    known.set(project, made);
  }
  return made;
}
