"""Chinese names that a text itself proves: persons beside words of kinship or marriage, places behind verbs of going."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

from chronotope.slices.extract.forms import NAME, Form

__all__ = ["is_han_place", "proven_persons", "proven_places", "titled_persons"]

_SURNAMES: Final = (
    "[趙赵錢钱孫孙李周吳吴鄭郑王馮冯陳陈褚衛卫蔣蒋沈韓韩楊杨朱秦許许何呂吕張张孔曹嚴严華华金魏陶姜戚謝谢鄒邹竇窦章雲云蘇苏潘葛范彭"
    "郎魯鲁韋韦馬马苗鳳凤花方俞任袁柳鮑鲍史唐費费薛雷賀贺倪湯汤羅罗郝安常樂乐于傅齊齐康伍余元顧顾孟黃黄穆蕭萧尹姚邵汪毛狄"
    "戴宋茅龐庞熊紀纪舒屈項项祝董梁杜阮藍蓝席季賈贾路婁娄江童顏颜郭梅盛林鍾钟徐邱駱骆高夏蔡田樊胡凌霍虞萬万柯管盧卢莫"
    "丁鄧邓洪包左石崔龔龚程邢裴陸陆翁甄焦車车侯段葉叶白池喬乔尤冷卜詹鄔邬]"
)
_H = "\u4e00-\u9fff"
_KIN: Final = "[長长次嫡幼]?(?:[妻女子母父妾弟兄妹姊孫孙]|[女兒儿][兒儿子]|[母父][親亲]|丫鬟|丫[頭头]|媳[婦妇]|夫人)"
_CLAN_NAME = re.compile(rf"{_SURNAMES}氏")
_BEFORE_KIN = re.compile(rf"(?<![{_H}])({_SURNAMES}[{_H}]{{1,2}})[之的]{_KIN}")
_AFTER_KIN = re.compile(rf"[之的]{_KIN}(?:名叫|名喚|名唤|叫|乃|是)?({_SURNAMES}[{_H}]{{1,2}})(?![{_H}])")
_COMMON = re.compile(r"[的之了也家人們们道說说來来去是在有不個个他她你我這这那]")
_PLACE_ENDS: Final = "府園园寺庵廟庙莊庄城州縣县觀观宮宫閣阁樓楼館馆院軒轩村鎮镇"
_GOES = re.compile(rf"(?:往|至|到|在|回|住|進了|进了|入)([{_H}]{{1,3}}?[{_PLACE_ENDS}])(?![{_PLACE_ENDS}])")
_NO_PLACE = re.compile(
    r"[這这那其此本各自大小新舊旧東东西南北外內内里裡前后後上下中一二三四五六七八九十兩两了的之往至到在回住進进入出去來来又便都就也"
    r"他她你我們们人家書书房後]"
)
_TWICE: Final = 2
_TITLES: Final = (
    "(?:[老少太][爺爷]|夫人|太太|奶奶|小姐|姑娘|先生|公子|相公|丫[頭头]|[員员]外|[媽妈][媽妈]|[嬤嬷][嬤嬷]|[將将][軍军]|大人|氏)"
)
_TITLED = re.compile(rf"{_SURNAMES}[大二三四五六七八九老小]?{_TITLES}")
_RUN = re.compile(rf"[{_H}]{{4,40}}")  # what stands between two marks, where it can hold a name and what it does


def proven_persons(texts: Sequence[str]) -> frozenset[str]:
    """Persons that stand beside a word of kinship at least once and are named at least twice, and women named by their clan.

    >>> sorted(proven_persons(["張三之妻李氏病了。李氏的女兒。", "張三走了。"]))
    ['張三', '李氏']
    """
    texts = [text for text in texts if not text.isascii()]
    clans = Counter(found[0] for text in texts for found in _CLAN_NAME.finditer(text))
    beside = {found[1] for form in (_BEFORE_KIN, _AFTER_KIN) for text in texts for found in form.finditer(text)}
    named = {name for name in beside if not _COMMON.search(name) and _often(name, texts)}
    return frozenset(named | {name for name, times in clans.items() if times >= _TWICE})


def titled_persons(texts: Iterable[str], forms: Sequence[Form]) -> frozenset[str]:
    """Persons of a surname and a title, such as 沈老爺, that stand in a set form which fills all between two marks.

    One such sentence is enough: the marks, the form, the surname and the title leave no other way to divide it.

    Args:
        texts: the whole story.
        forms: set forms of an ontology.
    """
    runs = {found[0] for text in texts if not text.isascii() for found in _RUN.finditer(text) if _TITLED.search(found[0])}
    named: set[str] = set()
    for form in forms if runs else ():
        if form.han and form.needs == "clause":
            pattern = re.compile(form.pattern.pattern.replace(NAME, _TITLED.pattern))
            for run in runs:
                found = pattern.fullmatch(run)
                named |= {name for name in found.groupdict().values() if name} if found else set()
    return frozenset(named)


def proven_places(texts: Iterable[str]) -> frozenset[str]:
    """Names with the ending of a place that stand at least twice behind a verb of going or staying."""
    gone = Counter(found[1] for text in texts if not text.isascii() for found in _GOES.finditer(text))
    return frozenset(name for name, times in gone.items() if times >= _TWICE and not _NO_PLACE.search(name))


def is_han_place(name: str) -> bool:
    """True for a Chinese name with the ending of a place, such as 蘇州."""
    return not name.isascii() and name[-1] in _PLACE_ENDS


def _often(name: str, texts: Sequence[str]) -> bool:
    return sum(text.count(name) for text in texts) >= _TWICE
