import { useEffect, useRef } from "react";
import { knockNow, useServerGone } from "@/api/connection";
import { Button } from "@/components/Button";
import { toast } from "@/components/Toast";

/** Says that the server is gone, and that it is back. It lies over the page, so that nothing moves. */
export function ConnectionBanner() {
  const gone = useServerGone();
  const was = useRef(false);
  useEffect(() => {
    if (was.current && !gone) toast({ text: "The server is back" });
    was.current = gone;
  }, [gone]);
  return (
    <div aria-live="assertive" className="pointer-events-none fixed inset-x-0 top-3 z-50 flex justify-center px-4">
      {gone && (
        <div className="pointer-events-auto flex animate-rise items-center gap-3 rounded-full border border-warn bg-warn-soft py-1 pr-1.5 pl-4 text-warn shadow-float">
          <span className="font-medium">The server is gone. Trying again…</span>
          <Button size="sm" look="ghost" className="rounded-full text-warn!" onClick={knockNow}>
            Try now
          </Button>
        </div>
      )}
    </div>
  );
}
