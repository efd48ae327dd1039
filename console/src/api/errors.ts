/** A refusal of the server, in its own words. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly path: string | null;
  readonly requestId: string | null;

  constructor(
    status: number,
    body: { code: string; message: string; path?: string | null; request_id?: string | null },
  ) {
    super(body.message);
    this.name = "ApiError";
    this.status = status;
    this.code = body.code;
    this.path = body.path ?? null;
    this.requestId = body.request_id ?? null;
  }

  static async from(response: Response): Promise<ApiError> {
    try {
      const body = (await response.json()) as { error?: { code: string; message: string } };
      if (body.error) return new ApiError(response.status, body.error);
    } catch {
      // No JSON: something between the console and the server answered.
    }
    return new ApiError(response.status, {
      code: "unknown",
      message: `the server answered with status ${response.status}`,
    });
  }
}

/** Nobody answered at all. */
export class ServerGone extends Error {
  constructor() {
    super("the server does not answer");
    this.name = "ServerGone";
  }
}

/** The words to show for anything that was thrown. */
export function errorWords(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

export function isStatus(error: unknown, status: number): boolean {
  return error instanceof ApiError && error.status === status;
}
