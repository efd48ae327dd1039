import { Check, Minus } from "lucide-react";
import { Checkbox as Primitive } from "radix-ui";
import type { ReactNode } from "react";

type Props = {
  label: ReactNode;
  hideLabel?: boolean;
  checked: boolean | "indeterminate";
  onChange: (checked: boolean) => void;
  disabled?: boolean;
};

export function Checkbox({ label, hideLabel = false, checked, onChange, disabled }: Props) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the primitive renders the control
    <label className="inline-flex items-start gap-2 text-base has-disabled:opacity-50">
      <Primitive.Root
        checked={checked}
        disabled={disabled}
        onCheckedChange={(next) => onChange(next === true)}
        className="mt-0.5 flex size-4 shrink-0 items-center justify-center rounded border border-line-strong bg-surface data-[state=checked]:border-accent data-[state=checked]:bg-accent data-[state=indeterminate]:border-accent data-[state=indeterminate]:bg-accent"
      >
        <Primitive.Indicator className="text-accent-ink [&_svg]:size-3">
          {checked === "indeterminate" ? <Minus aria-hidden /> : <Check strokeWidth={3} aria-hidden />}
        </Primitive.Indicator>
      </Primitive.Root>
      <span className={hideLabel ? "sr-only" : ""}>{label}</span>
    </label>
  );
}
