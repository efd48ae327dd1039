// The real server as a process of its own, with a folder of its own.
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

const MASTER_KEY = "rf_live_master_of_the_console_tests";
const FAKETIME = "/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1";

/** Whether a server's clock can be set here: Debian's package libfaketime does that. */
export const canSetClock = existsSync(FAKETIME);

/** A server that can be stopped and started again on the same port with the same data. */
export class Server {
  /** @param {{ arguments?: string[], settableClock?: boolean, inTerminal?: boolean }} [options] */
  static async start(options = {}) {
    const server = new Server(options);
    await server.up();
    return server;
  }

  constructor(options) {
    this.options = options;
    this.key = MASTER_KEY;
    this.folder = mkdtempSync(join(tmpdir(), "reflect-console-"));
    this.clock = join(this.folder, "clock");
    this.listen = "127.0.0.1:0";
    this.url = "";
    /** What a server in a terminal prints for whoever sits there. */
    this.signInLink = "";
  }

  async up() {
    const binary = process.env.REFLECT_BIN;
    if (!binary) throw new Error("set REFLECT_BIN to the server's binary");
    const options = ["--listen", this.listen, "--log", "warn", "--data", join(this.folder, "data")];
    const command = [binary, "serve", ...options, ...(this.options.arguments ?? [])];
    // `script` runs a command in a terminal of its own.
    const [program, ...rest] = this.options.inTerminal ? ["script", "-qec", command.join(" "), "/dev/null"] : command;
    this.child = spawn(program, rest, {
      // No lesson is tried by chance.
      env: { ...process.env, REFLECT_MASTER_KEY: MASTER_KEY, REFLECT_TRIAL_SHARE: "0", ...this.clockSettings() },
      stdio: ["ignore", "pipe", "inherit"],
    });
    const ended = new Promise((resolve) => this.child.once("exit", resolve));
    this.ended = ended;
    this.url = "";
    for await (const line of createInterface({ input: this.child.stdout })) {
      const [, address] = line.match(/^listening on http:\/\/(\S+)/) ?? [];
      if (address) Object.assign(this, { listen: address, url: `http://${address}` });
      this.signInLink = line.match(/http:\S+#code=\w+/)?.[0] ?? "";
      if (this.url && (this.signInLink || !this.options.inTerminal)) {
        this.child.stdout.resume();
        return;
      }
    }
    throw new Error(`the server ended with ${await ended} before it listened`);
  }

  clockSettings() {
    if (!this.options.settableClock) return {};
    if (!canSetClock) throw new Error("install libfaketime to set the server's clock");
    this.setClock(0);
    // Only the time of day: pauses and time limits go on as they are.
    const monotonic = { FAKETIME_DONT_FAKE_MONOTONIC: "1", DONT_FAKE_MONOTONIC: "1" };
    return { LD_PRELOAD: FAKETIME, FAKETIME_TIMESTAMP_FILE: this.clock, FAKETIME_NO_CACHE: "1", ...monotonic };
  }

  /** Sets the server's clock this many seconds back. */
  setClock(secondsAgo) {
    writeFileSync(this.clock, secondsAgo ? `-${Math.round(secondsAgo)}` : "+0");
  }

  /** Ends it; its data stay. */
  async down() {
    if (this.child?.exitCode === null && this.child.signalCode === null) {
      this.child.kill("SIGTERM");
      await this.ended;
    }
  }

  async remove() {
    await this.down();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
