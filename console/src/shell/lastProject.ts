const STORED_AS = "reflect.project";

/** The project that was open last, for the next visit to `/`. */
export function rememberProject(project: string): void {
  localStorage.setItem(STORED_AS, project);
}

export function lastProject(): string | null {
  return localStorage.getItem(STORED_AS);
}
