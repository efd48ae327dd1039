import { Monitor, Moon, Sun } from "lucide-react";
import { SegmentedControl } from "@/components/SegmentedControl";
import { setTheme, useTheme } from "./theme";

export function ThemeSwitch() {
  return (
    <SegmentedControl
      label="Theme"
      value={useTheme().choice}
      onChange={setTheme}
      options={[
        { value: "system", title: "As the system", label: <Monitor aria-hidden /> },
        { value: "light", title: "Light", label: <Sun aria-hidden /> },
        { value: "dark", title: "Dark", label: <Moon aria-hidden /> },
      ]}
    />
  );
}
