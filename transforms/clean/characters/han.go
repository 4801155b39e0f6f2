package characters

import "unicode/utf8"

// simplified and traditional hold frequent characters that belong to one way of
// writing Chinese only, sorted, three bytes each. Characters that both use in
// some word, such as 后, 里 or 范, are left out.
const (
	simplified = "业东义书买亲们会体关写军几办动卖发变听员国图场坏块声处备复够头夺妇妈孙学宝实审宽对导将层岁师带帮广庆" +
		"库应废开张弹强归录彻忆态总恶战户执扩护报担拥择损换据摆无时显晓机杀权条来极构标树样桥检楼欢残毕气汉汤" +
		"沟没浅测济浏灭灯灵点烟热爱爷独狭环现电疗监盖盘础离种积称稳穷竞笔签简类约级纪纯纸线组细织终绍经结给绝" +
		"统继续维绿网罗职联聪脑脸艺节药莱获营蓝虑虽补装见观规视览觉触誉计订认讨让训议记讲许论设访证评识诉词译" +
		"试诗诚话该详语误说请读课谁调谈谢谱贝负财责败货质购贵费资赛赵趋跃践车转轮软轻载较辑输边达过运还这进远" +
		"连选长门问间难风飞马"
	traditional = "來們備動員問國圖執報場塊壞夠奪婦媽孫學實審寫寬寶將對導層師帶幫幾庫廢廣張強彈復徹惡愛態慮慶憶應戰戶換" +
		"損擁擇擔據擴擺敗時曉書會東條業極構樓標樣樹橋機檢權歡歲歸殘殺氣沒淺測湯溝滅漢濟瀏無煙熱燈營爺狹獨獲現" +
		"環畢療發監盤礎種稱積穩窮競筆節簡簽紀約純紙級細紹終組結絕給統經綠維網線總織繼續羅義聯聰聲職聽腦臉萊蓋" +
		"藍藝藥處補裝見規視親覺覽觀觸訂計討訓記訪設許訴評詞試詩話該詳認語誠誤說誰課調談請論講謝證識譜譯議護譽" +
		"讀變讓貝負財貨責貴買費資賣質購賽趙趨踐躍車軍軟較載輕輪輯輸轉辦這連進運過達遠選還邊錄長門開間關雖離難" +
		"電靈頭類顯風飛馬體點"
)

// HanScript tells simplified from traditional Chinese characters: "Hans" or
// "Hant", with the share of the telling characters that belong to it, in [0.5, 1].
// It returns "Hani", 0 for a text without telling characters, or with equally
// many of both. 262 pairs are known: a sentence of a few characters may stay
// "Hani".
// Japanese text gives meaningless answers.
func HanScript(text string) (script string, share float64) {
	var hans, hant int
	for _, r := range text {
		if r < 0x4e00 || r > 0x9fff {
			continue
		}
		if contains(simplified, r) {
			hans++
		} else if contains(traditional, r) {
			hant++
		}
	}
	switch total := float64(hans + hant); {
	case hans > hant:
		return "Hans", float64(hans) / total
	case hant > hans:
		return "Hant", float64(hant) / total
	default:
		return "Hani", 0
	}
}

// contains searches a sorted list of characters of three bytes each.
func contains(sorted string, r rune) bool {
	const width = 3
	low, high := 0, len(sorted)/width
	for low < high {
		middle := (low + high) / 2
		character, _ := utf8.DecodeRuneInString(sorted[middle*width:])
		switch {
		case character == r:
			return true
		case character < r:
			low = middle + 1
		default:
			high = middle
		}
	}
	return false
}
