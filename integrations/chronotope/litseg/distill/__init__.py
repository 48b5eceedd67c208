"""Distilling the three stages into one pass: training examples, and rewards that a trainer can call. No trainer is imported.

Source: LitSeg, section 3.2, appendices E.3 and I.3.2.
"""

from chronotope.litseg.distill.completions import Completion, ReadPlan, completion_text, read_plan
from chronotope.litseg.distill.examples import Split, TrainingExample, as_example, split_by_work, write_jsonl
from chronotope.litseg.distill.format_reward import FormatGrade, format_grade, format_reward
from chronotope.litseg.distill.model_reward import REWARD, ChunkMarks, Judgement, JudgeSettings, judge, model_reward
from chronotope.litseg.distill.rewards import Reward, combined
from chronotope.litseg.distill.teacher import training_examples

__all__ = [
    "REWARD",
    "ChunkMarks",
    "Completion",
    "FormatGrade",
    "JudgeSettings",
    "Judgement",
    "ReadPlan",
    "Reward",
    "Split",
    "TrainingExample",
    "as_example",
    "combined",
    "completion_text",
    "format_grade",
    "format_reward",
    "judge",
    "model_reward",
    "read_plan",
    "split_by_work",
    "training_examples",
    "write_jsonl",
]
