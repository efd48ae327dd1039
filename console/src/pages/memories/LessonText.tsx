import { Badge } from "@/components/Badge";
import { Prose } from "@/components/Prose";
import { visible } from "@/lib/visible";

export type Lesson = {
  summary: string;
  key_mistake: string;
  correct_action: string;
  guidance: string;
  applicable_tools: string[];
};

const FIELDS = { guidance: "Guidance", key_mistake: "Key mistake", correct_action: "Correct action" } as const;

/** A lesson in its parts; those without words are left out. */
export function LessonText({ lesson }: { lesson: Lesson }) {
  return (
    <div className="flex min-w-0 flex-col gap-3">
      {lesson.summary && (
        <p dir="auto" className="text-verbatim text-ink">
          <Prose text={lesson.summary} />
        </p>
      )}
      <dl className="flex flex-col gap-2.5">
        {(Object.keys(FIELDS) as (keyof typeof FIELDS)[])
          .filter((field) => lesson[field])
          .map((field) => (
            <div key={field}>
              <dt className="text-xs font-medium text-faint">{FIELDS[field]}</dt>
              <dd dir="auto" className="text-verbatim text-ink">
                <Prose text={lesson[field]} />
              </dd>
            </div>
          ))}
      </dl>
      {lesson.applicable_tools.length > 0 && (
        <ul aria-label="Tools that it is about" className="flex flex-wrap gap-1.5">
          {lesson.applicable_tools.map((tool) => (
            <li key={tool}>
              <Badge>{visible(tool)}</Badge>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
