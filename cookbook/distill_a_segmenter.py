"""Teach a small model to segment a story in one pass: examples from a teacher, two rewards, and training with TRL.

    python cookbook/distill_a_segmenter.py                                   # three tiny tales, a scripted teacher, no model needed
    python cookbook/distill_a_segmenter.py --output data/ --input novels/    # your own .txt files, one a work
        --base-url http://localhost:8000/v1 --model teacher                  # … need a real teacher
    python cookbook/distill_a_segmenter.py --output data/ --train Qwen/Qwen3-0.6B --base-url … --model judge

The first two write `train.jsonl` and `validation.jsonl` and score some completions. `--train` then runs supervised training and
GRPO with LoRA; it needs `pip install "trl>=1" peft datasets` and a GPU. Chronotope itself needs none of these.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from openai import APIError

from chronotope import ChatEndpoint, Document, Issue, Runner
from chronotope.endpoint import describe_failure
from chronotope.errors import ChronotopeError
from chronotope.litseg import SegmentSettings
from chronotope.litseg.distill import (
    TrainingExample,
    combined,
    format_grade,
    format_reward,
    model_reward,
    split_by_work,
    training_examples,
    write_jsonl,
)
from chronotope.models import ChatModel, Message
from chronotope.steps import gather
from chronotope.testing import ScriptedChat

SETTINGS = SegmentSettings(mode="full", attempts=2)
WEIGHTS = (0.5, 0.5)  # of format and judge
TALES = {
    "The Ferry": """CHAPTER I. The Bell

Old Marten rowed the ferry at Holm for thirty years. Nobody had ever drowned with him. One evening the bell rang on the far
bank, and he rowed over. There stood a boy with a crate of pigeons.

"My father sends them to the miller," said the boy. Marten looked at the sky. "Then we had better be quick," he said. Half way
across the storm broke loose.

CHAPTER II. The Far Bank

They lost an oar and then the crate. Marten tied the boy to the bench. At dawn the boat lay in the reeds, and both were alive.
The pigeons sat on the roof of the mill.
""",
    "The Seal": """The clerk had lost the seal of the town. He searched the archive, the well and his bed. In the end he carved
a new one from a pear.

For a week every deed was stamped with pear. Then the wasps came to the council. The mayor looked at the clerk, and the clerk
looked at the mayor. "Ten years ago," said the mayor, "I used a turnip."
""",
    "The Lamp": """Ines lit the lamp at nine, as her mother had done. No ship had passed for a year. She had begun to read by it.

On the last page of the last book she heard a horn. She ran up the stairs. The lamp was clean, the glass was whole, and the
oil was gone. So she burned the books, one after the other, until the ship was past the rocks.
""",
}


LESSONS = (  # a unit is known by its first words, its turn by the words that open it
    ("Old Marten", '"My father', ("Marten is a careful ferryman", "A boy brings pigeons and a storm breaks")),
    ("They lost", "At dawn", ("Boat and crate are lost", "Boy, ferryman and pigeons are safe")),
    ("The clerk had", "For a week", ("The clerk carves a seal from a pear", "The mayor confesses to a turnip")),
    ("Ines lit", "On the last page", ("Ines keeps the lamp though no ship comes", "She burns her books to guide a ship")),
)
FORGETFUL = "The clerk had"  # here the teacher forgets a sentence, whatever it is told


def teach(messages: Sequence[Message]) -> dict[str, Any]:
    """What a teacher would say at each stage; the stage is told by what the earlier ones left in the prompt."""
    text = next(message.content for message in messages if message.role == "user")
    lines = dict(re.findall(r"^(\d+) (.*)$", text.split("</chapter>")[0], re.MULTILINE))
    opening, turn, what = next(row for row in LESSONS if any(line.startswith(row[0]) for line in lines.values()))
    cut, last = next(int(number) for number, line in lines.items() if line.startswith(turn)), len(lines)
    if "<events>" not in text:
        return {"events": [f"1-{cut - 1} {what[0]}", f"{cut}-{last} {what[1]}"]}
    if "<threads>" not in text:
        return {"threads": [{"name": what[1], "level": "intradiegetic", "sentences": f"1-{last}", "shifts": []}]}
    blocks = [(1, cut - 1 - (opening == FORGETFUL), []), (cut, last, [2])]
    segments = [
        {"subtitle": subtitle, "from_idx": first, "to_idx": end, "context_idx": context}
        for subtitle, (first, end, context) in zip(what, blocks, strict=True)
    ]
    return {"turning_points": [{"type": "opportunity", "sentence": cut, "what": what[1]}], "segments": segments}


def mark(messages: Sequence[Message]) -> dict[str, Any]:
    """A judge that likes chunks of two to six sentences, for want of a model that can read."""
    rows = re.findall(r"^chunk (\d+): sentences (\d+) to (\d+)(, context)?", messages[-1].content, re.MULTILINE)
    scores = {number: 4.5 if 2 <= int(last) - int(first) + 1 <= 6 else 2 for number, first, last, _ in rows}
    return {
        "chunks": [
            {
                "chunk": int(number),
                "event_validity": scores[number],
                "unity_of_action": scores[number],
                "cut_point_logic": 4,
                "context_helps": bool(context),
            }
            for number, _, _, context in rows
        ]
    }


def documents(place: Path | None) -> list[Document]:
    if place is None:
        return [Document(text, id=name) for name, text in TALES.items()]
    files = sorted(place.rglob("*.txt")) if place.is_dir() else [place]
    if not files or not files[0].is_file():
        raise ChronotopeError(f"--input {place}: there is no .txt file")
    return [Document(path.read_text(encoding="utf-8-sig", errors="replace"), id=path.stem) for path in files]


def models(options: argparse.Namespace) -> tuple[ChatModel, ChatModel]:
    """Teacher and judge: the endpoint for both, or scripts that only know the three tales."""
    if not options.base_url:
        if options.input or options.train:
            raise ChronotopeError("your own texts and training need a model that reads: --base-url and --model")
        return ScriptedChat(teach, model_id="scripted-teacher"), ScriptedChat(mark, model_id="scripted-judge")
    if not options.model:
        raise ChronotopeError("--base-url needs --model: which model shall teach and judge?")
    chat = ChatEndpoint(options.base_url, options.model, api_key=os.environ.get("OPENAI_API_KEY"))
    return chat, chat


def build(texts: Sequence[Document], teacher: ChatModel, folder: Path) -> list[TrainingExample]:
    """The examples, written to two files that share no work."""
    runner = Runner(teacher, progress=sys.stderr.isatty())
    made = runner.run(gather([training_examples(text, settings=SETTINGS, work=text.id) for text in texts]))
    examples = [example for part in made for example in part.items]
    issues: list[Issue] = [issue for part in made for issue in part.issues]
    split = split_by_work(examples, share=0.3)
    for name, side in (("train", split.train), ("validation", split.validation)):
        count = write_jsonl(folder / f"{name}.jsonl", side)
        print(f"{folder / name}.jsonl: {count} examples of {', '.join(sorted({e.work for e in side})) or 'no work'}")
    for issue in issues:
        print(f"  {issue}")
    print(f"teacher: {runner.spent}")
    if not split.validation:
        print("nothing is set aside for validation: that takes examples of two works")
    return examples


def show_rewards(example: TrainingExample, judge: ChatModel) -> None:
    """Some completions for one unit, as a student might write them, and what each reward makes of them."""
    answer = example.messages[-1].content
    n = len(example.sentences)
    block = {"subtitle": "All of it", "from_idx": 1, "to_idx": n}
    samples = {
        "the teacher's answer": answer,
        "the same, fenced": f"Sure!\n```json\n{answer}\n```",
        "one block": json.dumps({"segments": [block]}),
        "a sentence missing": json.dumps({"segments": [block | {"to_idx": n - 1}]}),
        "context from inside": json.dumps({"segments": [block | {"context_idx": [2]}]}),
        "cut in the middle": answer[: len(answer) * 2 // 3],
        "no plan": "A story about a ferry.",
    }
    completions = [[{"role": "assistant", "content": text}] for text in samples.values()]
    columns = {"sentences": [example.sentences] * len(samples)}
    by_model = model_reward(Runner(judge))
    both = combined(format_reward, by_model, WEIGHTS)
    rows = zip(
        samples, format_reward(completions, **columns), by_model(completions, **columns), both(completions, **columns), strict=True
    )
    print(f"\nrewards for completions of {example.work!r} {example.unit!r} ({n} sentences)")
    print(f"  {'':22} {'format':>7} {'judge':>7} {'sum':>7}")
    for name, by_format, by_judge, total in rows:
        print(f"  {name:22} {by_format:7.3f} {by_judge:7.3f} {total:7.3f}")
    print(f"  in detail: {format_grade(samples['a sentence missing'], n)}")


def train(folder: Path, base: str, judge: ChatModel) -> None:
    """Supervised training, then GRPO with a DAPO-style loss, both with LoRA. Written against TRL 1; see docs/distillation.md."""
    try:
        from datasets import load_dataset
        from peft import AutoPeftModelForCausalLM, LoraConfig
        from trl import GRPOConfig, GRPOTrainer, SFTConfig, SFTTrainer
    except ImportError as missing:
        raise ChronotopeError(f'training needs {missing.name}: pip install "trl>=1" peft datasets') from missing
    files = {side: folder / f"{side}.jsonl" for side in ("train", "validation")}
    data = load_dataset("json", data_files={side: str(path) for side, path in files.items() if path.stat().st_size})
    lora = LoraConfig(task_type="CAUSAL_LM", r=16, lora_alpha=32, lora_dropout=0.05, target_modules="all-linear")

    # Prompt and completion apart: the loss then counts the answer alone, whatever the chat template is.
    pairs = data.map(
        lambda row: {"prompt": row["messages"][:2], "completion": row["messages"][2:]}, remove_columns=data["train"].column_names
    )
    supervised = SFTTrainer(
        model=base,
        args=SFTConfig(
            output_dir=str(folder / "sft"),
            max_length=None,  # the default cuts after 1,024 tokens, a chapter has thousands
            per_device_train_batch_size=1,
            gradient_accumulation_steps=8,
            num_train_epochs=3,
            learning_rate=1e-4,
            eval_strategy="epoch" if "validation" in pairs else "no",
        ),
        train_dataset=pairs["train"],
        eval_dataset=pairs.get("validation"),
        peft_config=lora,
    )
    supervised.train()
    supervised.save_model()
    merged = folder / "sft-merged"
    AutoPeftModelForCausalLM.from_pretrained(str(folder / "sft")).merge_and_unload().save_pretrained(str(merged))
    supervised.processing_class.save_pretrained(str(merged))

    # The column `sentences` stays: both rewards are called with it.
    prompts = data["train"].map(lambda row: {"prompt": row["messages"][:2]}, remove_columns=["messages"])
    reinforced = GRPOTrainer(
        model=str(merged),
        reward_funcs=[format_reward, model_reward(Runner(judge))],  # apart, so that each is logged
        args=GRPOConfig(
            output_dir=str(folder / "grpo"),
            reward_weights=list(WEIGHTS),
            loss_type="dapo",
            epsilon=0.2,
            epsilon_high=0.28,
            beta=0.0,
            mask_truncated_completions=True,
            num_generations=8,
            per_device_train_batch_size=1,
            gradient_accumulation_steps=8,
            max_completion_length=4_096,
            learning_rate=5e-6,
            num_train_epochs=1,
        ),
        train_dataset=prompts,
        peft_config=lora,
    )
    reinforced.train()
    reinforced.save_model()
    print(f'the student is in {folder / "grpo"}: serve it and segment with SegmentSettings(mode="lite")')


def run(options: argparse.Namespace, folder: Path) -> None:
    teacher, judge = models(options)
    if options.train and not options.output:
        raise ChronotopeError("--train needs --output: the folder for the examples and the student")
    if not (options.train and (folder / "train.jsonl").is_file()):
        examples = build(documents(options.input), teacher, folder)
        if not examples:
            raise ChronotopeError("no unit gave an example; the notes above say why")
        show_rewards(examples[0], judge)
    if options.train:
        train(folder, options.train, judge)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--input", type=Path, help="a .txt file, or a folder of them: one file a work")
    parser.add_argument("--output", type=Path, help="folder for the files; a temporary one when absent")
    parser.add_argument("--base-url", help="an OpenAI-compatible endpoint that teaches and judges")
    parser.add_argument("--model", help="the endpoint's model")
    parser.add_argument("--train", metavar="MODEL", help="train this student on the examples in --output")
    options = parser.parse_args()
    try:
        if options.output:
            run(options, options.output)
        else:
            with tempfile.TemporaryDirectory() as folder:
                run(options, Path(folder))
    except BrokenPipeError:  # the reader, such as `head`, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (ChronotopeError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except APIError as error:
        print(f"error: {describe_failure(error)}", file=sys.stderr)
        return 3
    return 0


if __name__ == "__main__":
    sys.exit(main())
