import { Field, Input } from "@/components/Field";

type Props = { label: string; hint?: string; value: string; onChange: (name: string) => void };

export function ProjectNameField({ label, hint, value, onChange }: Props) {
  return (
    <Field label={label} hint={hint}>
      {(ids) => (
        <Input
          {...ids}
          value={value}
          maxLength={128}
          onChange={(event) => onChange(event.target.value)}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          required
        />
      )}
    </Field>
  );
}
