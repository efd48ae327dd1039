import { errorWords } from "@/api/errors";
import type { Settings, SettingsChange, SettingsChoices } from "@/api/types";
import { useChoices, useSettings } from "@/api/useSettings";
import { Button } from "@/components/Button";
import { Card } from "@/components/Card";
import { ErrorState, SkeletonRows } from "@/components/states";
import { plural } from "@/lib/format";
import { EmptyLessonsSetting } from "./EmptyLessonsSetting";
import { LearningSetting } from "./LearningSetting";
import { MatchSetting } from "./MatchSetting";
import { NumberSetting, type NumberSettingProps } from "./NumberSetting";
import { useChangeSettings } from "./useChangeSettings";

type Name =
  | "lambda"
  | "mmr_lambda"
  | "similarity_threshold"
  | "alpha"
  | "trial_share"
  | "sitting_out"
  | "half_life_days"
  | "holdout";
type Setting = Pick<NumberSettingProps, "label" | "hint" | "min" | "max" | "step" | "format" | "ends"> & {
  name: Name;
  /** Shown as 1 − value. */
  isInverse?: boolean;
};

/** What was changed and is not saved yet; null follows the server again. */
export type RankingDraft = Pick<SettingsChange, Name | "match" | "learning" | "empty_lessons">;

/** The draft is the page's, so that a look at another section loses nothing. */
export type RankingProps = { project: string; draft: RankingDraft; setDraft: (draft: RankingDraft) => void };

const SETTINGS: Setting[] = [
  {
    name: "lambda",
    label: "Utility against similarity (λ)",
    hint: "How much a memory’s record counts against how alike it is to the task at hand.",
    ends: ["similarity alone", "utility alone"],
  },
  {
    name: "mmr_lambda",
    label: "Diversity",
    hint: "How much it costs a lesson to say the same as one already picked.",
    ends: ["off", "most diverse"],
    isInverse: true,
  },
  {
    name: "similarity_threshold",
    label: "Similarity threshold",
    hint: "What is less alike is never shown.",
    min: -1,
    ends: ["all", "the same only"],
  },
  {
    name: "alpha",
    label: "Step size of learning (α)",
    hint: "How far one review moves the utility of a memory that the run saw.",
    ends: ["never moves", "the last review alone"],
  },
  {
    name: "trial_share",
    label: "Slots on trial",
    hint: "In how many queries one slot goes to one of the twenty best at random, where memories learn by what they add.",
    ends: ["never", "always"],
  },
  {
    name: "sitting_out",
    label: "Sitting out",
    hint: "How often the most doubtful lesson is left out of an answer, so that it shows what it adds. One that surely helps sits out 2 % of them.",
    max: 0.5,
    ends: ["never", "half of them"],
  },
  {
    name: "half_life_days",
    label: "Evidence lasts",
    hint: "After how many days without runs half of a memory’s evidence is left. What was left out because it hurt comes back that way.",
    max: 730,
    step: 5,
    format: (days) => (days === 0 ? "always" : plural(days, "day")),
    ends: ["always", "two years"],
  },
  {
    name: "holdout",
    label: "Tasks without memories",
    hint: "The share of tasks that do without, at random: the overview then says whether memories help. A change begins a new measurement.",
    max: 0.5,
    ends: ["none", "half"],
  },
];

type MaybeNumber = number | null | undefined;
const same = <Value extends MaybeNumber>(value: Value): Value => value;
const inverse = <Value extends MaybeNumber>(value: Value) =>
  value == null ? value : Math.round((1 - value) * 1e4) / 1e4;

function Form({
  project,
  draft,
  setDraft,
  settings,
  defaults,
}: RankingProps & { settings: Settings; defaults?: SettingsChoices["defaults"] }) {
  const save = useChangeSettings(project);
  const own = { ...settings, ...draft };
  const names = Object.keys(draft) as (keyof RankingDraft)[];
  const changed = names.some((name) => draft[name] !== (settings[name] ?? null));
  return (
    <Card
      title="Ranking and learning"
      hint="A query’s own value wins over the project’s, and that over the server’s."
      flush
    >
      <div className="flex flex-col">
        <MatchSetting
          own={own.match ?? null}
          server={defaults?.match}
          onChange={(match) => setDraft({ ...draft, match })}
        />
        <LearningSetting
          own={own.learning ?? null}
          server={defaults?.learning}
          onChange={(learning) => setDraft({ ...draft, learning })}
        />
        <EmptyLessonsSetting
          own={own.empty_lessons ?? null}
          onChange={(empty_lessons) => setDraft({ ...draft, empty_lessons })}
        />
        {SETTINGS.map(({ name, isInverse, ...setting }) => {
          const shown = isInverse ? inverse : same;
          return (
            <NumberSetting
              key={name}
              {...setting}
              own={shown(own[name]) ?? null}
              server={shown(defaults?.[name])}
              onChange={(value) => setDraft({ ...draft, [name]: shown(value) })}
            />
          );
        })}
      </div>
      <footer className="flex flex-wrap items-center justify-end gap-2 border-t border-line px-5 py-3">
        {save.isError && (
          <p role="alert" className="flex-1 text-verbatim text-fail">
            {errorWords(save.error)}
          </p>
        )}
        <Button disabled={!changed} onClick={() => setDraft({})}>
          Discard
        </Button>
        <Button
          look="primary"
          disabled={!changed}
          busy={save.isPending}
          onClick={() => save.mutate(draft, { onSuccess: () => setDraft({}) })}
        >
          Save
        </Button>
      </footer>
    </Card>
  );
}

/** How memories are ranked and how fast they learn, beside the server's own values. */
export function RankingSection(props: RankingProps) {
  const settings = useSettings(props.project);
  const choices = useChoices(props.project);
  if (settings.isError) return <ErrorState error={settings.error} retry={() => void settings.refetch()} />;
  if (!settings.data || choices.isPending) return <SkeletonRows rows={4} className="h-28" />;
  return <Form {...props} settings={settings.data} defaults={choices.data?.defaults} />;
}
