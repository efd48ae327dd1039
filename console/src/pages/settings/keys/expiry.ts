const DAY = 86_400;

/** How long a key may live; zero is for ever. */
export const EXPIRIES = [
  { value: "0", label: "Never" },
  { value: String(DAY), label: "In 1 day" },
  { value: String(7 * DAY), label: "In 7 days" },
  { value: String(30 * DAY), label: "In 30 days" },
  { value: String(90 * DAY), label: "In 90 days" },
  { value: String(365 * DAY), label: "In 1 year" },
];
