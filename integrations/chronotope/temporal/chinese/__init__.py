"""The rules for Chinese times: `2015年3月`, `十九世纪七十年代`, `上个月`, `从三月到五月`, `2018年以前`."""

from chronotope.temporal.chinese.find import find_chinese, holds_chinese

__all__ = ["find_chinese", "holds_chinese"]
