import { X } from "lucide-react";
import { Dialog as Primitive } from "radix-ui";
import type { ReactNode } from "react";
import { classes } from "@/lib/classes";

export type DialogProps = {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: string;
  description?: ReactNode;
  children?: ReactNode;
  footer?: ReactNode;
};

const PLACES = {
  centre:
    "top-[12vh] left-1/2 max-h-[80dvh] w-[calc(100vw-2rem)] max-w-lg -translate-x-1/2 rounded-xl border animate-rise",
  side: "inset-y-0 right-0 w-full max-w-md border-l animate-slide",
};

// The backdrop is a plain element: Radix' own locks scrolling by a style tag, which our content security policy refuses.
// The page itself never scrolls (only its main part does), so nothing needs the lock.
function Modal({
  open,
  onOpenChange,
  title,
  description,
  children,
  footer,
  place,
}: DialogProps & { place: keyof typeof PLACES }) {
  return (
    <Primitive.Root open={open} onOpenChange={onOpenChange}>
      <Primitive.Portal>
        <div className="fixed inset-0 z-40 animate-appear bg-backdrop" aria-hidden />
        <Primitive.Content
          {...(description ? {} : { "aria-describedby": undefined })}
          className={classes("fixed z-40 flex flex-col bg-surface shadow-float outline-none", PLACES[place])}
        >
          <header className="py-3.5 pr-12 pl-5">
            <div className="min-w-0 pt-1">
              <Primitive.Title className="text-lg leading-tight font-semibold text-ink">{title}</Primitive.Title>
              {description && <Primitive.Description className="mt-1 text-muted">{description}</Primitive.Description>}
            </div>
          </header>
          <div className="scroll-quiet min-h-0 flex-1 overflow-y-auto px-5 pt-1 pb-5">{children}</div>
          {footer && (
            <footer className="flex flex-wrap justify-end gap-2 border-t border-line px-5 py-3">{footer}</footer>
          )}
          {/* Last, so that the first field has the focus when it opens. */}
          <Primitive.Close
            aria-label="Close"
            className="absolute top-3 right-3 inline-flex size-8 items-center justify-center rounded-md text-muted hover:bg-hover hover:text-ink"
          >
            <X className="size-4" aria-hidden />
          </Primitive.Close>
        </Primitive.Content>
      </Primitive.Portal>
    </Primitive.Root>
  );
}

/** A question or a form in the middle of the page. */
export function Dialog(props: DialogProps) {
  return <Modal {...props} place="centre" />;
}

/** Details at the right edge; the whole width on a phone. */
export function Sheet(props: DialogProps) {
  return <Modal {...props} place="side" />;
}
