import { type KeyboardEvent, type PointerEvent, useEffect, useRef, useState } from "react";
import { tokenColor } from "@/lib/colors";
import { useTheme } from "@/shell/theme";
import { ROLE_TOKENS } from "./roles";
import { type Message, type Role, step, stepWords } from "./steps";

type Props = {
  messages: Message[];
  current: number;
  inView: { from: number; to: number };
  onJump: (index: number) => void;
};

const HEIGHT = 22;

function draw(canvas: HTMLCanvasElement, messages: Message[]): void {
  const ratio = devicePixelRatio || 1;
  const width = canvas.clientWidth * ratio;
  const height = HEIGHT * ratio;
  canvas.width = width;
  canvas.height = height;
  const pen = canvas.getContext("2d");
  if (!pen) return;
  pen.globalAlpha = 0.75;
  const colours = Object.fromEntries(Object.entries(ROLE_TOKENS).map(([role, token]) => [role, tokenColor(token)]));
  const each = width / messages.length;
  const gap = each > 6 * ratio ? ratio : 0;
  // With more steps than pixels, one of those that share a pixel is drawn.
  const stride = Math.max(1, Math.floor(messages.length / width));
  for (let index = 0; index < messages.length; index += stride) {
    const role: Role = step(messages[index] as Message).role;
    const talks = role === "user" || role === "system";
    pen.fillStyle = colours[role] ?? "";
    const tall = talks ? height * 0.9 : role === "assistant" ? height * 0.65 : height * 0.4;
    pen.fillRect(index * each, (height - tall) / 2, Math.max(each * stride - gap, 1), tall);
  }
}

/** All steps in a line, to see the run's shape and to jump by. */
export function Timeline({ messages, current, inView, onJump }: Props) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const theme = useTheme().resolved;
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const element = canvas.current;
    if (!element) return;
    const observer = new ResizeObserver(() => setWidth(element.clientWidth));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: colours are read from the page, which the theme changes
  useEffect(() => {
    if (canvas.current && width > 0) draw(canvas.current, messages);
  }, [messages, width, theme]);

  const last = messages.length - 1;
  const jump = (event: PointerEvent<HTMLDivElement>) => {
    const box = event.currentTarget.getBoundingClientRect();
    const share = Math.min(Math.max((event.clientX - box.left) / box.width, 0), 0.999_999);
    onJump(Math.floor(share * messages.length));
  };
  const press = (event: KeyboardEvent) => {
    const page = Math.max(1, Math.round(messages.length / 20));
    const to = {
      ArrowRight: current + 1,
      ArrowDown: current + 1,
      ArrowLeft: current - 1,
      ArrowUp: current - 1,
      PageDown: current + page,
      PageUp: current - page,
      Home: 0,
      End: last,
    }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    onJump(Math.min(Math.max(to, 0), last));
  };
  const share = (index: number) => `${(index / messages.length) * 100}%`;
  const now = messages[current];
  return (
    <div
      role="slider"
      tabIndex={0}
      aria-label="Timeline"
      aria-valuemin={1}
      aria-valuemax={messages.length}
      aria-valuenow={current + 1}
      aria-valuetext={now && `step ${current + 1} of ${messages.length}: ${stepWords(step(now))}`}
      onKeyDown={press}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        jump(event);
      }}
      onPointerMove={(event) => event.buttons > 0 && jump(event)}
      className="relative min-w-0 flex-1 cursor-pointer touch-none rounded"
    >
      <canvas ref={canvas} className="block h-5.5 w-full" aria-hidden />
      <span
        className="absolute inset-y-0 rounded-sm bg-ink/10"
        style={{ left: share(inView.from), width: share(inView.to - inView.from + 1) }}
        aria-hidden
      />
      <span className="absolute -inset-y-0.5 w-0.5 rounded bg-ink" style={{ left: share(current + 0.5) }} aria-hidden />
    </div>
  );
}
