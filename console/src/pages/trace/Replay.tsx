import { useVirtualizer } from "@tanstack/react-virtual";
import { ChevronDown, ChevronUp, Pause, Play } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { IconButton } from "@/components/IconButton";
import { EmptyState } from "@/components/states";
import { formatCount } from "@/lib/format";
import { useShortcuts } from "@/shell/shortcuts";
import { KeepState } from "./kept";
import { StepView } from "./StepView";
import type { Message } from "./steps";
import { Timeline } from "./Timeline";

type Props = { messages: Message[]; current: number; onCurrent: (index: number) => void };

const PACE = 1400;

/** A run, step by step. Only the steps in view are drawn; it scrolls by itself and fills its parent. */
export function Replay({ messages, current, onCurrent }: Props) {
  const scroller = useRef<HTMLDivElement>(null);
  const [playing, setPlaying] = useState(false);
  const last = messages.length - 1;
  const virtual = useVirtualizer({
    count: messages.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => 130,
    overscan: 4,
  });
  const items = virtual.getVirtualItems();
  const go = (index: number) => {
    const to = Math.min(Math.max(index, 0), last);
    onCurrent(to);
    virtual.scrollToIndex(to, { align: "start" });
  };
  // A link to a step opens there.
  const opened = useRef(false);
  useEffect(() => {
    if (opened.current || messages.length === 0) return;
    opened.current = true;
    if (current > 0) virtual.scrollToIndex(current, { align: "start" });
  }, [current, messages.length, virtual]);
  const step = useRef(go);
  step.current = go;
  useEffect(() => {
    if (!playing) return;
    if (current >= last) return setPlaying(false);
    const timer = setTimeout(() => step.current(current + 1), PACE);
    return () => clearTimeout(timer);
  }, [playing, current, last]);
  const play = () => {
    if (!playing && current >= last) go(0);
    setPlaying(!playing);
  };
  useShortcuts([
    { keys: "j", label: "Next step", group: "Replay", run: () => go(current + 1) },
    { keys: "k", label: "Previous step", group: "Replay", run: () => go(current - 1) },
    { keys: ".", label: "Play or pause", group: "Replay", run: play },
  ]);
  if (messages.length === 0) return <EmptyState title="This trace has no messages" />;
  const top = scroller.current?.scrollTop ?? 0;
  const bottom = top + (scroller.current?.clientHeight ?? 0);
  const seen = items.filter((item) => item.end > top && item.start < bottom);
  const inView = { from: seen[0]?.index ?? 0, to: seen.at(-1)?.index ?? 0 };
  return (
    <KeepState>
      <div className="flex items-center gap-1 border-b border-line px-2 py-1.5 sm:px-3">
        <IconButton
          label={playing ? "Pause" : "Play step by step"}
          icon={playing ? <Pause /> : <Play />}
          shortcut="."
          onClick={play}
        />
        <IconButton
          label="Previous step"
          icon={<ChevronUp />}
          shortcut="k"
          onClick={() => go(current - 1)}
          disabled={current <= 0}
        />
        <IconButton
          label="Next step"
          icon={<ChevronDown />}
          shortcut="j"
          onClick={() => go(current + 1)}
          disabled={current >= last}
        />
        <Timeline messages={messages} current={current} inView={inView} onJump={go} />
        <span className="min-w-16 pl-1 text-right text-xs text-muted" aria-live={playing ? "off" : "polite"}>
          {formatCount(current + 1)} / {formatCount(messages.length)}
        </span>
      </div>
      <div
        ref={scroller}
        role="region"
        aria-label="Steps"
        tabIndex={0}
        className="scroll-quiet min-h-0 flex-1 overflow-y-auto focus-visible:outline-offset-[-2px]"
      >
        <div className="relative" style={{ height: virtual.getTotalSize() }}>
          {items.map((item) => (
            <div
              key={item.key}
              data-index={item.index}
              ref={virtual.measureElement}
              className="absolute inset-x-0 top-0"
              style={{ transform: `translateY(${item.start}px)` }}
            >
              <StepView
                message={messages[item.index] as Message}
                index={item.index}
                current={item.index === current}
                onPick={onCurrent}
              />
            </div>
          ))}
        </div>
      </div>
    </KeepState>
  );
}
